import { expect, test } from 'vitest';
import { createHooks, loadConfig } from '../../src/index.ts';
import { project } from './project.ts';

const guard = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'exit 2' }] }] } };

test.each(['agents', 'dialects'] as const)(
  'R1124 the option %s of createHooks and loadConfig, and the key of the same name, read the files of an agent',
  async (option) => {
    const place = project({ 'project/.claude/settings.json': guard });
    const chosen = { [option]: { 'claude-code': true } };
    const hooks = await createHooks({ ...place, ...chosen, deps: { trustCheck: () => true } });
    expect((await hooks.beforeTool({ tool: 'Bash', input: {} })).verdict).toBe('deny');
    await hooks.close();
    const { config } = await loadConfig({ ...place, ...chosen });
    expect(Object.keys(config.getHooks() ?? {})).toEqual(['BeforeTool']);
    const inFile = project({ 'project/.claude/settings.json': guard, 'home/.hookwright/settings.json': chosen });
    const loaded = await loadConfig(inFile);
    expect(Object.keys(loaded.config.getHooks() ?? {})).toEqual(['BeforeTool']);
    await expect(loadConfig(JSON.parse(`{"${option}": 1}`))).rejects.toThrow(`needs ${option} as an object`);
  },
);

test('R1125 hooks read the transcript path that createHooks was given', async () => {
  const { cwd, home } = project({});
  for (const more of [{}, { load: true, home }]) {
    const hooks = await createHooks({ cwd, transcriptPath: '/t.jsonl', ...more });
    const read: string[] = [];
    hooks.on('BeforeTool', ({ transcript_path }) => {
      read.push(transcript_path);
    });
    await hooks.beforeTool({ tool: 'Bash', input: {} });
    expect(read).toEqual(['/t.jsonl']);
    await hooks.close();
  }
});
