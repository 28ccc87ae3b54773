// Rules that must not be broken, each with a patch that breaks it. The soak has to notice it within its time, or the named test.
// A patch names a text that stands once in its file; where the source has changed, the patch is to be written anew.

const edit = (file, was, is) => ({ file: `src/${file}`, was, is });
const byTest = (file, title, project = 'unit') => ({ file: `test/${file}`, title, project });

const kill = 'runners/process/kill-processes.ts';
const table = 'runners/process/process-table.ts';
const lifetime = 'handlers/lifetime.ts';
const limits = 'runners/limits.ts';
const timeout = 'Math.min(timeout, MAX_TIMEOUT_MS)';
/** The soak judges times by how busy the machine is. */
const timesOut = byTest('runners/command/custom-executor.test.ts', 'it is asked for what is to be run');

/** `soak: false` where random hooks cannot show it; then the test has to. */
export const namedMutants = [
  {
    name: 'timeouts doubled',
    edits: [edit(limits, timeout, 'Math.min(2 * timeout, MAX_TIMEOUT_MS)')],
    test: timesOut,
  },
  {
    name: 'three seconds later',
    edits: [edit(limits, timeout, 'Math.min(timeout + 3_000, MAX_TIMEOUT_MS)')],
    test: timesOut,
  },
  {
    name: 'onFault ignored',
    edits: [
      edit('runners/schedule/run-hook.ts', "const policy = hookConfig.onFault ?? 'allow';", "const policy = 'allow';"),
    ],
  },
  {
    name: 'exit 2 does not block',
    edits: [
      edit(
        'runners/answer/parse-output.ts',
        'export const BLOCKING_EXIT_CODE = 2;',
        'export const BLOCKING_EXIT_CODE = 222;',
      ),
    ],
  },
  {
    name: 'answers of a worker read as nothing',
    edits: [edit('runners/lanes/worker/reply.ts', 'output === undefined || output === null ? [] : [output]', '[]')],
  },
  {
    name: 'an allow lifts an ask',
    edits: [
      edit(
        'protocol/hooks/verdicts.ts',
        '{ none: 0, allow: 1, ask: 2, deny: 3, stop: 4 }',
        '{ none: 0, allow: 2, ask: 1, deny: 3, stop: 4 }',
      ),
    ],
  },
  {
    name: 'a denial before a failure dropped',
    edits: [
      edit('runners/answer/parse-output.ts', 'const block = extractBlock(answer);', 'const block = extractBlock({});'),
    ],
    test: byTest('runners/answer/parse-output.test.ts', 'P4 a block stands although'),
  },
  {
    name: 'SIGKILL to the leader alone, without the sweep of markers',
    edits: [
      edit(kill, 'process.kill(-pid, signal);', "process.kill(signal === 'SIGKILL' ? pid : -pid, signal);"),
      edit(table, "if (process.platform !== 'linux') return;", 'if (process.pid > 0) return;'),
    ],
  },
  {
    name: 'groups never killed',
    edits: [edit(kill, 'STARTS_GROUP ? sendToGroup(target, signal)', 'STARTS_GROUP ? sendToGroup(target, 0)')],
    test: byTest('runners/process/kill-processes.test.ts', 'reaches what the hook has started'),
  },
  {
    name: 'deadline not armed',
    edits: [
      edit(
        lifetime,
        'this.#timer = setTimeout(() => callAfterTwoTurns(over), Math.max(leftMs, 0));',
        'void [over, leftMs];',
      ),
    ],
    test: byTest('handlers/end-of-request.test.ts', 'the deadline covers hooks that still wait'),
  },
  {
    name: 'cancel ignored',
    edits: [
      edit(lifetime, 'onAbort(signal, () => this.#cancelledOutside())', 'onAbort(signal, () => undefined)'),
      edit(
        lifetime,
        "this.#requests.get(correlationId)?.end(new HookwrightError('cancelled', 'The request was cancelled'));",
        'void correlationId;',
      ),
    ],
    test: byTest('handlers/end-of-request.test.ts', 'F74 cancelled in a parallel plan'),
  },
  {
    name: 'a second response',
    edits: [
      edit(
        'handlers/requests.ts',
        '.subscribe((answer) => this.#bus.publish(answer));',
        '.subscribe((answer) => void [this.#bus.publish(answer), this.#bus.publish(answer)]);',
      ),
    ],
  },
  {
    name: 'a row missing',
    edits: [
      edit(
        'handlers/reporting/event-report.ts',
        'const rows = this.#isObserved ? made.map(toObservedRow) : made;',
        "const rows = this.#isObserved ? made.map(toObservedRow) : made.toSorted((one, other) => Number(one.planned === 'run') - Number(other.planned === 'run')).slice(0, -1);",
      ),
    ],
  },
  {
    name: 'guards not asked again',
    edits: [
      edit(
        'handlers/event-handler.ts',
        'plan.facts.mayRecheck === true && !isObserved;',
        'plan.facts.mayRecheck === true && isObserved;',
      ),
    ],
  },
  {
    name: 'a verdict of the background counted',
    edits: [
      edit(
        'handlers/firing.ts',
        'return this.hasBackground && hook !== undefined && this.facts.isBackground(hook);',
        'return index < 0;',
      ),
    ],
    test: byTest(
      'abilities/run-hooks.test.ts',
      'R456 C45 they are started, not waited for, and their signals are ignored',
    ),
  },
  {
    name: 'a redaction not chained',
    edits: [
      edit(
        'events/records.ts',
        ': { ...input, llm_response: mergeIntoShownResponse(input.llm_response, response) };',
        ': input;',
      ),
    ],
  },
  {
    name: 'R074 the registry imports what reads files',
    edits: [edit('registry/launch-checks.ts', 'import { catalogue', "import '../kit/node.ts';\nimport { catalogue")],
    soak: false,
    test: byTest('layers.test.ts', 'R074'),
  },
  {
    name: 'R755 a file is written into',
    edits: [
      edit(
        'kit/files/write-whole.ts',
        'writeAndFinish(whole, rename);',
        "writeAndFinish(whole, async (unfinished, path) => {\n    await (await import('node:fs/promises')).copyFile(unfinished, path);\n    await rm(unfinished);\n  });",
      ),
    ],
    soak: false,
    test: byTest('kit/files.test.ts', 'R755'),
  },
  {
    name: 'R820 twice as many scripts are read',
    edits: [edit('trust/scripts/file-state-reader.ts', 'MAX_HASHED_FILES = 10_000', 'MAX_HASHED_FILES = 20_000')],
    soak: false,
    test: byTest('trust/read-script.test.ts', 'R820'),
  },
  {
    name: 'R893 a PermissionRequest without a host has no verdict',
    edits: [
      edit(
        'transports/stand-in-answers.ts',
        "catalogue[eventName].onLost ?? 'none'",
        "(eventName === 'BeforeTool' ? catalogue[eventName].onLost : undefined) ?? 'none'",
      ),
    ],
    soak: false,
    test: byTest('faults/nats.test.ts', 'R893', 'faults'),
  },
  {
    name: 'C45 a hook in the background is cut off with its event',
    edits: [edit('handlers/event-handler.ts', 'plan.isBackground(index)', 'index < 0')],
    soak: false,
    test: byTest('handlers/ability-event-handler.test.ts', 'C45'),
  },
  {
    name: 'R532 files are only looked at now and then',
    edits: [
      edit(
        'settings/watching/follow-paths.ts',
        'this.#watchDirectory = watchDirectory;',
        'this.#watchDirectory = () => () => void watchDirectory;',
      ),
    ],
    soak: false,
    test: byTest('settings/watch.test.ts', 'R532'),
  },
  {
    name: 'R159 an answer in place of the model needs a denial',
    edits: [
      edit(
        'events/outputs.ts',
        'return response === undefined ? undefined : this.translator.fromHookLLMResponse(response);',
        "return response === undefined || this.decision !== 'deny' ? undefined : this.translator.fromHookLLMResponse(response);",
      ),
    ],
    soak: false,
    test: byTest('triggers/model-hooks.test.ts', 'an answer without a block is there too'),
  },
];
