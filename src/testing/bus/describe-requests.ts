/** Tests of requests, which every bus must pass: each request gets one answer or one error. */
import { getEventListeners } from 'node:events';
import {
  ANSWER,
  type BusSuite,
  castUntyped,
  collectErrors,
  createSampleNote,
  createSampleRefusal,
  createSampleRequest,
  createSampleResponse,
  malformedMessages,
  NOTE,
  publishNotes,
  REQUEST,
  RESPONSE,
  respondImmediately,
  waitForRejections,
} from './suite.ts';

export const describeRequests = ({ name, createBus, soon, describe, expect, test }: BusSuite): void => {
  describe(`${name}: requests`, () => {
    test('a request resolves with the response of its id', async () => {
      const bus = await createBus();
      respondImmediately(bus);
      const responses = await Promise.all(['a', 'b'].map((id) => bus.request(createSampleRequest(id), RESPONSE)));
      expect(responses).toMatchObject([createSampleResponse('a'), createSampleResponse('b')]);
      expect(bus.listenerCount(RESPONSE)).toBe(0);
    });

    test('F34 a request nobody answers rejects with deadline_exceeded on time, in both ways of saying when', async () => {
      const bus = await createBus();
      const startedAt = performance.now();
      const requests = [
        bus.request(createSampleRequest('a'), RESPONSE, 50),
        bus.request(createSampleRequest('b'), RESPONSE, { timeoutMs: 50 }),
      ];
      for (const request of requests) await expect(request).rejects.toMatchObject({ code: 'deadline_exceeded' });
      const waited = performance.now() - startedAt;
      expect(waited).toBeGreaterThan(45);
      expect(waited).toBeLessThan(2_000);
    });

    test('an answer that comes after the deadline is ignored', async () => {
      const bus = await createBus();
      const errors = collectErrors(bus);
      await expect(bus.request(createSampleRequest('a'), RESPONSE, 1)).rejects.toMatchObject({
        code: 'deadline_exceeded',
      });
      bus.publish(createSampleResponse('a'));
      await waitForRejections();
      expect(errors).toEqual([]);
    });

    test('an abort rejects with cancelled and its reason; aborted before, nothing is published', async () => {
      const bus = await createBus();
      const published: string[] = [];
      bus.subscribe(REQUEST, ({ correlationId }) => published.push(correlationId));
      const controller = new AbortController();
      const requests = [
        bus.request(createSampleRequest('a'), RESPONSE, 5_000, controller.signal),
        bus.request(createSampleRequest('b'), RESPONSE, { signal: controller.signal }),
        bus.request(createSampleRequest('c'), RESPONSE, undefined, controller.signal),
      ];
      await soon(() => expect(published).toEqual(['a', 'b', 'c']));
      controller.abort('enough');
      for (const request of requests) {
        await expect(request).rejects.toMatchObject({ code: 'cancelled', cause: 'enough' });
      }
      const late = bus.request(createSampleRequest('d'), RESPONSE, 5_000, controller.signal);
      await expect(late).rejects.toMatchObject({ code: 'cancelled' });
      await waitForRejections();
      expect(published).toEqual(['a', 'b', 'c']);
    });

    test('an abort by a listener of the request counts', async () => {
      const bus = await createBus();
      const controller = new AbortController();
      bus.subscribe(REQUEST, () => controller.abort());
      const request = bus.request(createSampleRequest('a'), RESPONSE, 5_000, controller.signal);
      await expect(request).rejects.toMatchObject({ code: 'cancelled' });
    });

    test('F74 a signal that serves a thousand requests carries one listener, and none afterwards', async () => {
      const bus = await createBus();
      const { signal } = new AbortController();
      const ids = Array.from({ length: 1_000 }, (_, index) => `${index}`);
      const requests = ids.map((id) => bus.request(createSampleRequest(id), RESPONSE, { signal }));
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      for (const id of ids) bus.publish(createSampleResponse(id));
      await Promise.all(requests);
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    });

    test('F32 a request with an id that is pending here rejects and is not published', async () => {
      const bus = await createBus();
      const published: string[] = [];
      bus.subscribe(REQUEST, ({ correlationId }) => published.push(correlationId));
      const first = bus.request(createSampleRequest('a'), RESPONSE);
      await expect(bus.request(createSampleRequest('a'), RESPONSE)).rejects.toMatchObject({
        code: 'duplicate_request',
      });
      bus.publish(createSampleResponse('a'));
      await expect(first).resolves.toMatchObject({ correlationId: 'a' });
      await soon(() => expect(published).toEqual(['a']));
    });

    test('F32 the refusal of a stranger’s duplicate does not answer the request that was first', async () => {
      const bus = await createBus();
      const errors = collectErrors(bus);
      const first = bus.request(createSampleRequest('a'), RESPONSE);
      bus.publish(createSampleRequest('a'));
      bus.publish(createSampleRefusal('a', 'duplicate_request'));
      bus.publish(createSampleResponse('a'));
      await expect(first).resolves.toMatchObject({ success: true });
      expect(errors).toEqual([]);
    });

    test.each(['unknown', '__proto__', 'constructor', 'hasOwnProperty'])(
      'F33 a response with the id %s is nobody’s and is ignored',
      async (id) => {
        const bus = await createBus();
        const errors = collectErrors(bus);
        const request = bus.request(createSampleRequest('a'), RESPONSE);
        bus.publish(createSampleResponse(id));
        bus.publish(createSampleResponse('a'));
        await expect(request).resolves.toMatchObject({ correlationId: 'a' });
        expect(errors).toEqual([]);
      },
    );

    test.each(['__proto__', 'constructor', 'x'.repeat(256)])('an id such as %s can be asked for', async (id) => {
      const bus = await createBus();
      respondImmediately(bus);
      await expect(bus.request(createSampleRequest(id), RESPONSE)).resolves.toMatchObject({ correlationId: id });
    });

    test('F35 with two handlers on the bus a requester settles once and the second answer is an error event', async () => {
      const bus = await createBus();
      const errors = collectErrors(bus);
      respondImmediately(bus);
      respondImmediately(bus);
      const response = await bus.request(createSampleRequest('a'), RESPONSE);
      expect(response).toMatchObject(createSampleResponse('a'));
      await soon(() => expect(errors).toHaveLength(1));
      expect(errors[0]).toMatchObject({ code: 'duplicate_response', details: { type: RESPONSE, correlationId: 'a' } });
      expect(bus.listenerCount(RESPONSE)).toBe(0);
    });

    test('an id can be asked for again once it is settled', async () => {
      const bus = await createBus();
      const errors = collectErrors(bus);
      respondImmediately(bus);
      await bus.request(createSampleRequest('a'), RESPONSE);
      await bus.request(createSampleRequest('a'), RESPONSE);
      expect(errors).toEqual([]);
    });

    test('a request can wait for any type, and messages of that type for other ids pass it by', async () => {
      const bus = await createBus();
      const request = bus.request(createSampleRequest('note'), NOTE);
      bus.publish({ ...createSampleNote('not mine'), correlationId: 'other' });
      publishNotes(bus, 'mine', 'and more');
      await expect(request).resolves.toMatchObject({ message: 'mine' });
    });

    test('a response the requester does not accept is an error event, and the next one counts', async () => {
      const bus = await createBus();
      const errors = collectErrors(bus);
      const request = bus.request(createSampleRequest('a'), ANSWER, {
        accepts: ({ approved }) => typeof approved === 'boolean',
      });
      bus.publish(castUntyped({ type: ANSWER, correlationId: 'a', approved: 'yes' }));
      bus.publish({ type: ANSWER, correlationId: 'a', approved: true });
      await expect(request).resolves.toMatchObject({ approved: true });
      expect(errors.map(({ code }) => code)).toEqual(['invalid_message']);
    });

    test.each([0, -1, Number.NaN])('a timeout of %s is refused and nothing is published', async (timeoutMs) => {
      const bus = await createBus();
      const published: string[] = [];
      bus.subscribe(REQUEST, ({ correlationId }) => published.push(correlationId));
      const request = bus.request(createSampleRequest('a'), RESPONSE, timeoutMs);
      await expect(request).rejects.toMatchObject({ code: 'invalid_argument' });
      await waitForRejections();
      expect(published).toEqual([]);
    });

    test.each([2 ** 31, Number.POSITIVE_INFINITY])('a timeout of %s does not end at once', async (timeoutMs) => {
      const bus = await createBus();
      const request = bus.request(createSampleRequest('a'), RESPONSE, timeoutMs);
      await waitForRejections();
      bus.publish(createSampleResponse('a'));
      await expect(request).resolves.toMatchObject({ correlationId: 'a' });
    });

    test.each(malformedMessages)('F31 a request that is %s rejects', async (_, message) => {
      const bus = await createBus();
      await expect(bus.request(castUntyped(message), RESPONSE)).rejects.toMatchObject({ code: 'invalid_message' });
    });

    test('10,000 requests in flight are each answered once, whatever the order of the answers', async () => {
      const bus = await createBus();
      const errors = collectErrors(bus);
      const ids = Array.from({ length: 10_000 }, (_, index) => `id ${index}`);
      const requests = ids.map((id) => bus.request(createSampleRequest(id), RESPONSE));
      for (const id of [...ids].reverse()) bus.publish(createSampleResponse(id));
      const responses = await Promise.all(requests);
      expect(responses.map(({ correlationId }) => correlationId)).toEqual(ids);
      expect(errors).toEqual([]);
      expect(bus.listenerCount(RESPONSE)).toBe(0);
    });

    test('removing all listeners leaves requests waiting', async () => {
      const bus = await createBus();
      const request = bus.request(createSampleRequest('a'), RESPONSE);
      bus.removeAllListeners();
      bus.publish(createSampleResponse('a'));
      await expect(request).resolves.toMatchObject({ correlationId: 'a' });
    });
  });
};
