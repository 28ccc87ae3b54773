// An extension that observes: it holds the bus, keeps what it hears, and changes nothing.
const isBlocked = ({ output }) => output?.decision === 'deny' || output?.decision === 'block';

export const startObserver = (bus) => {
  const traces = [];
  const requests = new Map();
  const responses = new Map();

  bus.subscribe('hook-execution-request', (request) => requests.set(request.correlationId, request));
  bus.subscribe('hook-execution-trace', (trace) => traces.push(trace));
  bus.subscribe('hook-execution-response', (response) => responses.set(response.correlationId, response));

  const count = (outcome) =>
    traces.flatMap(({ rows }) => rows).filter((row) => (row.outcome ?? row.planned) === outcome).length;

  return {
    summary: () =>
      `${requests.size} requests, ${responses.size} responses; of the hooks ${count('answered')} answered, ` +
      `${count('silent')} had no opinion, ${count('faulted')} failed, ${count('skip')} were skipped`,

    /** The last call that hooks blocked: what was asked, and the row of every hook. */
    blockedCall() {
      const trace = traces.findLast(({ correlationId }) => isBlocked(responses.get(correlationId) ?? {}));
      return trace && { request: requests.get(trace.correlationId), rows: trace.rows };
    },
  };
};
