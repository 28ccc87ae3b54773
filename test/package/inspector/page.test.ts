import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type Browser, chromium as browsers, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { confirmOverBus, MessageBus } from '../../../src/bus/index.ts';
import { Config, createHooks, defineHook } from '../../../src/index.ts';
import { type InspectorOptions, type InspectorSource, openInspector } from '../../../src/inspector/index.ts';
import { backtest } from '../../../src/sessions/backtest/index.ts';
import { readSession, record } from '../../../src/sessions/index.ts';
import { chromium, temporaryDirectory } from './support.ts';

const hostile = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';

const rules = (reason: string) => [
  defineHook({
    event: 'BeforeTool',
    name: 'no-rm',
    run: ({ tool_input }) => (tool_input.command === 'rm' ? { decision: 'deny', reason } : undefined),
  }),
  defineHook({ event: 'BeforeTool', name: 'quiet', run: () => undefined }),
];

/** A session of so many calls; every seventh is denied. */
const recorded = async (count: number): Promise<string> => {
  const file = join(temporaryDirectory(), 'session.jsonl');
  const hooks = await createHooks({ hooks: rules(hostile) });
  const recording = record(hooks.bus, { file });
  for (let index = 0; index < count; index += 1) {
    await hooks.beforeTool({
      tool: index % 2 === 0 ? 'Bash' : 'Read',
      input: { command: index % 7 === 0 ? 'rm' : 'ls' },
    });
  }
  await recording.close();
  await hooks.close();
  return file;
};

/** The same session so many times over, each time under ids and times of its own. */
const manyOf = (file: string, times: number): string => {
  const [header = '', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const copies = Array.from({ length: times }, (_, copy) =>
    lines.map((line) => line.replace(/"correlationId":"/, `"correlationId":"${copy}-`)),
  );
  writeFileSync(file, `${[header, ...copies.flat()].join('\n')}\n`);
  return file;
};

const traceSchema = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      tdur: z.optional(z.number()),
      args: z.looseObject({ name: z.optional(z.unknown()) }),
    }),
  ),
});

/** The processor time of the longest task of a page: other processes do not lengthen it. */
const longestTaskMs = (trace: Buffer): number => {
  const { traceEvents } = traceSchema.parse(JSON.parse(trace.toString()));
  const threadOf = ({ pid, tid }: { readonly pid: number; readonly tid: number }): string => `${pid} ${tid}`;
  const isPage = ({ name, args }: (typeof traceEvents)[number]): boolean =>
    name === 'thread_name' && args.name === 'CrRendererMain';
  const pages = new Set(traceEvents.filter(isPage).map(threadOf));
  return Math.max(...traceEvents.map((event) => (pages.has(threadOf(event)) ? (event.tdur ?? 0) : 0))) / 1_000;
};

describe.skipIf(chromium === undefined)(
  'the page of the inspector in a browser (skipped where there is no chromium on PATH)',
  () => {
    let browser: Browser;

    beforeAll(async () => {
      browser = await browsers.launch({ executablePath: chromium ?? '', args: ['--no-sandbox'] });
    }, 60_000);
    afterAll(() => browser?.close());

    const visit = async (
      source: InspectorSource,
      {
        width = 1280,
        height = 800,
        colorScheme = 'light' as 'light' | 'dark',
        ...options
      }: InspectorOptions & {
        width?: number;
        height?: number;
        colorScheme?: 'light' | 'dark';
      } = {},
    ) => {
      const inspector = await openInspector(source, options);
      const page = await browser.newPage({ viewport: { width, height }, colorScheme });
      const problems: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(error.message));
      onTestFinished(async () => {
        await page.close();
        await inspector.close();
        expect(problems).toEqual([]);
      });
      await page.goto(inspector.url);
      return page;
    };
    const show = async (...shown: Parameters<typeof visit>) => {
      const page = await visit(...shown);
      await page.waitForSelector('.line');
      return { page };
    };

    const severeProblems = async (page: Page): Promise<unknown[]> => {
      // Our own policy refuses a script tag, and that is right: the checker comes in by the tools of the browser.
      await page.evaluate(await (await import('node:fs/promises')).readFile(axePath, 'utf8'));
      return page.evaluate(`axe.run().then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
    };
    const axePath = join(import.meta.dirname, '../../../node_modules/axe-core/axe.min.js');

    test('R934 a session is readable within two seconds, and by the keyboard alone', async () => {
      const file = await recorded(60);
      const started = performance.now();
      const { page } = await show(readSession(file));
      expect(performance.now() - started).toBeLessThan(4_000);
      const list = page.getByRole('listbox', { name: 'Requests' });
      for (let presses = 0; presses < 20; presses += 1) {
        await page.keyboard.press('Tab');
        if (await list.evaluate((element) => element === element.ownerDocument.activeElement)) break;
      }
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 2, name: /BeforeTool Bash.*denied/ }).waitFor();
      await page.getByRole('region', { name: 'Waterfall' }).getByText('no-rm').waitFor();
      expect(await page.evaluate('document.activeElement.tagName')).toBe('H2');
      await page.getByRole('listitem').filter({ hasText: 'no-rm' }).getByText('stdin').click();
      await page.getByText('"hook_event_name": "BeforeTool"').first().waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('article').waitFor({ state: 'detached' });
    });

    test.each([375, 768, 1280])(
      'R934 at %i pixels a list beside a request keeps tool and command in sight',
      async (width) => {
        const { page } = await show(readSession(await recorded(8)), { width });
        const line = page.locator('.line.verdict-deny').first();
        await expect.poll(() => line.locator('.subject').isVisible()).toBe(true);
        const command = (await line.locator('code').textContent())?.trim() ?? '';
        expect(command).not.toBe('');
        await line.click();
        await page.getByRole('heading', { level: 2 }).getByText(command).waitFor();
        // A phone shows the request alone.
        if (width > 700) {
          expect(await line.locator('.subject').isVisible()).toBe(true);
          expect(await line.locator('code').isVisible()).toBe(true);
        }
        const waterfall = (await page.getByRole('region', { name: 'Waterfall' }).boundingBox())?.y ?? Number.NaN;
        expect(waterfall).toBeLessThan((await page.getByText('Hooks that ran').boundingBox())?.y ?? Number.NaN);
      },
    );

    test('F67 R935 whatever a hook says is text', async () => {
      const { page } = await show(readSession(await recorded(8)));
      await page.locator('.line.verdict-deny').first().click();
      await page.locator('.why', { hasText: hostile }).waitFor();
      expect(await page.title()).toBe('hookwright inspector');
      expect(await page.locator('#page img, #page script').count()).toBe(0);
    });

    test('R935 nothing that a hook says turns a text around or stands there unseen', async () => {
      const file = join(temporaryDirectory(), 'session.jsonl');
      const hooks = await createHooks({ hooks: rules('no\u202e\u200b\u0007on') });
      const recording = record(hooks.bus, { file });
      await hooks.beforeTool({ tool: 'Ba\u202esh', input: { command: 'rm', hidden: 'a\u202eb' } });
      await recording.close();
      await hooks.close();
      const { page } = await show(readSession(file));
      await page.locator('.line').click();
      await page.locator('.why', { hasText: 'no\ufffd\ufffd\ufffdon' }).waitFor();
      await page.getByText('"a\\u202eb"').first().waitFor();
      const all = await page.locator('body').innerText();
      for (const unseen of ['\u202e', '\u200b', '\u0007']) expect(all).not.toContain(unseen);
    });

    test('F67 R935 a hostile page sees nothing and answers nothing', async () => {
      const hooks = await createHooks({ hooks: rules('no') });
      const inspector = await openInspector(hooks.bus, { answer: true });
      onTestFinished(() => inspector.close());
      const origin = new URL(inspector.url).origin;
      const server = createServer((_request, response) => response.end('<!doctype html><title>evil</title>'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const address = server.address();
      const page = await browser.newPage();
      onTestFinished(() => page.close());
      await page.goto(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`);
      const attempts = await page.evaluate(
        `(async (url, origin) => {
        const of = (promise) => promise.then((response) => 'read ' + response.status, () => 'refused');
        const frame = document.createElement('iframe');
        frame.src = url;
        document.body.append(frame);
        await new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 1000); });
        let framed = 'refused';
        try { if (frame.contentDocument?.querySelector('#page')) framed = 'read'; } catch {}
        const stream = new EventSource(origin + '/events' + new URL(url).search);
        const streamed = await new Promise((resolve) => { stream.onopen = () => resolve('read'); stream.onerror = () => resolve('refused'); });
        stream.close();
        const simple = { method: 'POST', body: JSON.stringify({ id: 'q', approved: true }) };
        return [await of(fetch(url)), await of(fetch(origin + '/answer' + new URL(url).search, simple)), streamed, framed];
      })(${JSON.stringify(inspector.url)}, ${JSON.stringify(origin)})`,
      );
      expect(attempts).toEqual(['refused', 'refused', 'refused', 'refused']);
      await hooks.close();
    });

    test('R936 filters, the replay slider, charts and the backtest', async () => {
      const file = await recorded(28);
      const report = await backtest(readSession(file), new Config({}));
      const { page } = await show(readSession(file), { backtest: report });
      await page.getByLabel('verdict').selectOption('deny');
      await page.getByText('4 of 28 requests').waitFor();
      await page.getByLabel('verdict').selectOption('');
      await page.getByLabel('hook').selectOption('no-rm');
      await page.getByLabel('find').fill('bash');
      await page.getByText('14 of 28 requests').waitFor();
      await page.getByLabel('find').fill('');
      await page.getByLabel('Requests shown').fill('3');
      await page.getByText('3 of 28 requests').waitFor();
      await page.getByRole('button', { name: 'Charts' }).click();
      await page.getByRole('region', { name: 'Hooks' }).getByRole('row', { name: /no-rm/ }).waitFor();
      await page.getByRole('button', { name: 'Backtest' }).click();
      await page
        .getByRole('row', { name: /newly-allowed/ })
        .first()
        .waitFor();
    });

    test('R937 a question is answered on a page that was opened for it', async () => {
      const bus = new MessageBus();
      const asks = defineHook({
        event: 'BeforeTool',
        name: 'asks',
        run: () => ({ decision: 'ask', reason: 'push to main?' }),
      });
      const hooks = await createHooks({ hooks: [asks], bus, deps: { confirm: confirmOverBus(bus) } });
      const inspector = await openInspector(hooks.bus, { answer: true });
      onTestFinished(() => inspector.close());
      const page = await browser.newPage();
      onTestFinished(() => page.close());
      await page.goto(inspector.url);
      const call = hooks.beforeTool({ tool: 'git', input: {} });
      // By the keyboard alone: to the question, into it, to its answer.
      await page.getByRole('status').getByRole('button', { name: 'BeforeTool git asks' }).press('Enter');
      await page.getByRole('heading', { level: 2 }).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Tab');
      await page.getByRole('button', { name: 'Approve' }).and(page.locator(':focus')).press('Enter');
      expect(await call).toMatchObject({ verdict: 'allow' });
      await page.getByText('approved by inspector').waitFor();
      // R1684 the request that asked says what its question became, in the list and in itself.
      const asked = page.locator('.line.verdict-ask');
      await asked.getByText('approved').waitFor();
      await asked.click();
      await page.getByText('The question: approved by inspector').waitFor();
      await hooks.close();
    });

    test('R1685 live, at 200 requests a second, no frame takes longer than 100 ms and memory stays flat', async () => {
      const hooks = await createHooks({ hooks: rules('no rm') });
      onTestFinished(() => hooks.close());
      const page = await visit(hooks.bus);
      const session = await page.context().newCDPSession(page);
      await session.send('Performance.enable');
      /** Bytes in use after a collection. */
      const heap = async (): Promise<number> => {
        await session.send('HeapProfiler.collectGarbage');
        const { metrics } = await session.send('Performance.getMetrics');
        return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN;
      };
      const fireFor = async (seconds: number): Promise<number> => {
        const started = performance.now();
        let fired = 0;
        while (performance.now() - started < seconds * 1_000) {
          for (const due = (performance.now() - started) / 5; fired < due; fired += 1)
            void hooks.beforeTool({ tool: 'Bash', input: { command: fired % 7 === 0 ? 'rm' : `ls ${fired}` } });
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        return fired;
      };
      const warm = await fireFor(2);
      const before = await heap();
      // Only work of the page counts, in time of its processor: on a busy machine frames are late without any.
      await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
      const fired = await fireFor(8);
      const longest = longestTaskMs(await browser.stopTracing());
      await page.getByText(`${(warm + fired).toLocaleString('en')} requests`).waitFor();
      expect(((await heap()) - before) / fired).toBeLessThan(2_000);
      expect(longest).toBeGreaterThan(0);
      expect(longest).toBeLessThan(100);
    }, 60_000);

    test.each([
      ['a desk', 1280, 'light'],
      ['a desk in the dark', 1280, 'dark'],
      ['a phone', 390, 'light'],
      ['a phone in the dark', 390, 'dark'],
    ] as const)(
      'R938 on %s nothing overflows, and a screen reader finds its way',
      async (_what, width, colorScheme) => {
        const { page } = await show(readSession(await recorded(20)), { width, colorScheme });
        expect(await severeProblems(page)).toEqual([]);
        await page.locator('.line.verdict-deny').first().click();
        await page.getByRole('region', { name: 'Waterfall' }).waitFor();
        expect(await severeProblems(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Charts' }).click();
        await page.getByRole('region', { name: 'Hooks' }).waitFor();
        expect(await severeProblems(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        // A name that is broken letter by letter overflows nothing, and cannot be read.
        const names = await page.getByRole('region', { name: 'Hooks' }).getByRole('rowheader').all();
        for (const name of names) expect((await name.boundingBox())?.width).toBeGreaterThan(60);
        const more = page.getByRole('button', { name: 'Filters' });
        expect(await more.isVisible()).toBe(width < 700);
        if (await more.isVisible()) await more.click();
        await page.getByRole('combobox', { name: 'verdict' }).selectOption('deny');
        await page.getByText('3 of 20 requests').waitFor();
      },
    );

    test('R941 live requests appear as they come, and whoever scrolled back is left there', async () => {
      const hooks = await createHooks({ hooks: rules('no') });
      onTestFinished(() => hooks.close());
      const call = (command: string) => hooks.beforeTool({ tool: 'Bash', input: { command } });
      const page = await visit(hooks.bus, { height: 500 });
      await page.getByText('No request yet').waitFor();
      await call('first');
      for (let count = 1; count < 40; count += 1) await call(`number ${count}`);
      await page.getByText('number 39', { exact: true }).waitFor();
      const list = page.getByRole('listbox');
      await list.evaluate((element) => element.scrollTo(0, 0));
      await page.getByText('first', { exact: true }).waitFor();
      await call('later');
      await page.getByText('live, 41 requests').waitFor();
      expect(await list.evaluate((element) => element.scrollTop)).toBe(0);
    });

    test('R939 ten thousand requests stay fluid', async () => {
      const { page } = await show(readSession(manyOf(await recorded(50), 200)));
      await page.getByText('recorded, 10,000 requests').waitFor();
      expect(await page.locator('.line').count()).toBeLessThan(100);
      const browserTools = await page.context().newCDPSession(page);
      // Time of the processor, and not of the clock: what else the machine does in between is not the page's doing.
      await browserTools.send('Performance.enable', { timeDomain: 'threadTicks' });
      const workedMs = async (): Promise<number> => {
        const { metrics } = await browserTools.send('Performance.getMetrics');
        return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
      };
      const before = await workedMs();
      const steps = 60;
      await page.evaluate(`(async () => {
      const list = document.querySelector('.list');
      for (let step = 0; step < ${steps}; step += 1) {
        list.scrollTop = (list.scrollHeight / ${steps}) * step;
        await new Promise(requestAnimationFrame);
      }
    })()`);
      expect(((await workedMs()) - before) / steps).toBeLessThan(50);
    }, 60_000);
  },
);
