import { createServer } from 'node:http';
import { stepCountIs, streamText, type ToolSet, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { build } from 'esbuild';
import { chromium as browsers } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { hookedModel, hookedTools } from '../../src/adapters/ai-sdk/index.ts';
import type { Hooks } from '../../src/index.ts';
import { chromium } from '../package/inspector/support.ts';
import { untyped } from '../support/untyped.ts';
import { result, streamed, text, toolCall } from './ai-sdk-support.ts';
import { withHooks } from './support.ts';

/** Serves the page, and the chat behind it. */
const serve = async (hooks: Hooks): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: ['test/fixtures/pages/chat.mjs'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  });
  const script = outputFiles[0]?.text ?? '';
  const server = createServer(async (request, response) => {
    if (request.url === '/chat.js') return response.setHeader('content-type', 'text/javascript').end(script);
    if (request.url !== '/chat') {
      return response
        .setHeader('content-type', 'text/html')
        .end('<body><script type="module" src="/chat.js"></script>');
    }
    const answers = [result(toolCall({ path: '/' }, 'call_1', 'deleteFiles')), result(text('I left them.'))];
    const model = new MockLanguageModelV3();
    const doStream = async () => streamed(answers.shift() ?? result(text('No more.')));
    const tools = untyped<ToolSet>({ deleteFiles: tool({ inputSchema: z.object({ path: z.string() }) }) });
    const answer = streamText({
      model: hookedModel(hooks, Object.assign(model, { doStream })),
      tools: hookedTools(hooks, tools),
      stopWhen: stepCountIs(3),
      prompt: 'Tidy up.',
    });
    await answer.pipeUIMessageStreamToResponse(response, { onError: String });
    return response;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
};

const shownBy = async (url: string) => {
  const browser = await browsers.launch({ executablePath: chromium ?? '', args: ['--no-sandbox'] });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(url);
  await page.waitForFunction("document.body.textContent.startsWith('{')");
  const shown = z.object({ ran: z.array(z.unknown()), parts: z.array(z.looseObject({})) });
  return shown.parse(JSON.parse(String(await page.textContent('body'))));
};

test.skipIf(chromium === undefined)(
  'a page does not run a tool whose call a hook denies, and shows that it was denied (skipped where there is no chromium)',
  { timeout: 60_000 },
  async () => {
    const hooks = await withHooks();
    const off = hooks.on('BeforeTool', () => ({ decision: 'deny', reason: 'not here' }));
    const url = await serve(hooks);
    const denied = await shownBy(url);
    expect(denied.ran).toEqual([]);
    expect(denied.parts).toContainEqual(
      expect.objectContaining({
        type: 'tool-deleteFiles',
        state: 'output-error',
        errorText: expect.stringContaining('Tool call blocked by hook: not here'),
        resultProviderMetadata: { hookwright: expect.objectContaining({ denied: 'not here' }) },
      }),
    );
    expect(denied.parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'I left them.' }));

    off();
    expect((await shownBy(url)).ran).toEqual([{ path: '/' }]);
  },
);
