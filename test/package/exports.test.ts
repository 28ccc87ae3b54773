import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createConsumer } from './consumer.ts';

/** What the root has from the older days, beside the entry point it stands in now; deprecated there for one release. */
const moved: Record<string, string[]> = {
  'hookwright/trust': ['approve', 'checkTrustLock', 'reviewTrust', 'revoke', 'writeTrustLock'],
  'hookwright/translators': ['HookTranslatorGenAIv1', 'defaultHookTranslator'],
};

/** The parts of an engine, which hosts that put it together look for in the root as well. */
const parts = [
  'AfterAgentHookOutput',
  'AfterModelHookOutput',
  'AfterToolHookOutput',
  'BeforeAgentHookOutput',
  'BeforeModelHookOutput',
  'BeforeToolHookOutput',
  'BeforeToolSelectionHookOutput',
  'Config',
  'DefaultHookOutput',
  'HookAggregator',
  'HookEventHandler',
  'HookPlanner',
  'HookRegistry',
  'HookRegistryNotInitializedError',
  'HookRunner',
  'HookSystem',
  'HookSystemNotInitializedError',
  'PermissionRequestHookOutput',
  'SessionStartHookOutput',
  'createHookOutput',
  'executeToolWithHooks',
  'fireAfterAgentHook',
  'fireAfterModelHook',
  'fireAfterToolFailureHook',
  'fireAfterToolHook',
  'fireBeforeAgentHook',
  'fireBeforeModelHook',
  'fireBeforeToolHook',
  'fireBeforeToolSelectionHook',
  'fireNotificationHook',
  'firePermissionRequestHook',
  'firePreCompressHook',
  'fireSessionEndHook',
  'fireSessionStartHook',
  'fireSubagentStartHook',
  'fireSubagentStopHook',
];

/** What each entry point exports at run time. A name that is not here is exported by accident. */
const exported: Record<string, string[]> = {
  hookwright: [
    ...parts,
    ...Object.values(moved).flat(),
    'ConfigSource',
    'HookEventName',
    'HookType',
    'HookwrightError',
    'MessageBus',
    'MessageBusType',
    'NotificationType',
    'PreCompressTrigger',
    'SessionEndReason',
    'SessionStartSource',
    'agentEvents',
    'confirmInTerminal',
    'confirmOverBus',
    'createHooks',
    'decodeMessage',
    'defineEvent',
    'defineHook',
    'encodeMessage',
    'fileTokenStore',
    'formatProblem',
    'loadConfig',
    'memoryTokenStore',
    'notice',
    'noticeText',
    'parkedCalls',
    'printable',
    'requestHooks',
    'resumeToolWithHooks',
    'watchConfig',
  ],
  'hookwright/bus': [
    'HookwrightError',
    'MessageBus',
    'MessageBusType',
    'confirmOverBus',
    'linkBus',
    'printable',
    'requestHooks',
  ],
  'hookwright/engine': parts,
  'hookwright/trust': ['approve', 'checkTrustLock', 'reviewTrust', 'revoke', 'writeTrustLock'],
  'hookwright/abilities': [
    'AbilityAction',
    'AbilityCode',
    'AbilityEventHandler',
    'AbilityHookSet',
    'AbilityLog',
    'AbilityRegistry',
    'AgentRuntime',
    'CallerSource',
    'ToolRunner',
    'backtestAbilities',
    'interpretGuard',
    'interpretPreflight',
    'listAbilityHooks',
    'loadAbilities',
    'loadAbilityHooks',
    'runHooks',
    'scaffoldAbilityHook',
    'testAbilityHooks',
  ],
  'hookwright/backtest': ['backtest', 'races'],
  'hookwright/recorder': ['pacedMessages', 'readSession', 'record', 'replay', 'sessionOf'],
  'hookwright/dialects': ['dialectNamed', 'dialectNames', 'dialects', 'importHooks', 'readDialectFile'],
  'hookwright/nats': ['natsTransport', 'readStream', 'recordStream'],
  'hookwright/openai-agents': ['fromLanguageModel', 'hookedAgent'],
  'hookwright/langchain': ['fromLanguageModel', 'hooksMiddleware'],
  'hookwright/mcp': ['hookedClient'],
  'hookwright/claude-agent-sdk': ['hooksOption'],
  'hookwright/ai-sdk': ['fromLanguageModel', 'hookedModel', 'hookedTools'],
  'hookwright/translators': [
    'HookTranslatorGenAIv1',
    'SdkTranslator',
    'defaultHookTranslator',
    'aiSdkTranslator',
    'aiSdkTranslatorOf',
    'anthropicTranslator',
    'asMarkedUser',
    'langchainTranslator',
    'openaiAgentsTranslatorOf',
    'openaiChatTranslator',
    'openaiResponsesTranslator',
    'rolesBy',
    'translatorOf',
    'translators',
    'typedParts',
  ],
  'hookwright/tap': ['openTap'],
  'hookwright/testing': [
    'captureTraffic',
    'describeBus',
    'describeTranslator',
    'fakeClock',
    'fixtureHook',
    'hookMatchers',
    'hostCoverage',
    'replayInto',
    'toHaveBlocked',
    'toHaveRun',
    'toHaveSkipped',
  ],
  'hookwright/worker': ['serveHook'],
  'hookwright/inspector': ['openInspector'],
  'hookwright/otel': ['instrumentHooks'],
};

/** The SDKs that entries cannot do without; whoever imports such an entry has them. */
const peers: Readonly<Record<string, readonly string[]>> = {
  'hookwright/openai-agents': ['@openai/agents'],
  'hookwright/langchain': ['langchain', '@langchain/core'],
  'hookwright/otel': ['@opentelemetry/api'],
};

const listExports = `
import { createRequire } from 'node:module';
// CommonJS comes first: what was imported before can be required even where it could not be by itself.
const required = createRequire(import.meta.url)(process.argv[2]);
const entry = await import(process.argv[2]);
const notTheSame = Object.keys({ ...entry, ...required }).filter((name) => required[name] !== entry[name]);
const names = Object.keys(entry).sort();
const classes = names.filter((name) => /^class\\b/.test(String(entry[name])));
const renamed = classes.filter((name) => entry[name].name !== name);
console.log(JSON.stringify({ names, renamed, notTheSame }));
`;

test.each(Object.entries(exported))(
  '%s exports what the list says to import and to require, and keeps the names',
  async (entry, names) => {
    const consumer = await createConsumer(peers[entry]);
    consumer.write('list.mjs', listExports);
    // A bundler may rename a class that mentions itself or shares its name; users would meet `_Hook` or `Hook2` in a log.
    expect(JSON.parse(await consumer.node('list.mjs', entry))).toEqual({
      names: names.toSorted(),
      renamed: [],
      notTheSame: [],
    });
  },
);

const compareEntries = `
const root = await import('hookwright');
const [entry, ...names] = process.argv.slice(2);
const other = await import(entry);
console.log(JSON.stringify(names.filter((name) => other[name] !== root[name] || root[name] === undefined)));
`;

test.each(Object.entries({ ...moved, 'hookwright/engine': parts }))(
  'what %s has of the root is the same there',
  async (entry, names) => {
    const consumer = await createConsumer();
    consumer.write('compare.mjs', compareEntries);
    expect(JSON.parse(await consumer.node('compare.mjs', entry, ...names))).toEqual([]);
  },
);

test.each(Object.entries(moved))(
  'the root says of what has moved to %s that it is deprecated',
  async (entry, names) => {
    const consumer = await createConsumer();
    const declarations = readFileSync(
      join(consumer.directory, 'node_modules/hookwright/dist/types/index.d.ts'),
      'utf8',
    );
    for (const name of names)
      expect(declarations).toContain(`{ /** @deprecated Import it from \`${entry}\`. */ ${name} } from`);
  },
);

test('the schema of settings is found by the name of the package', async () => {
  const consumer = await createConsumer();
  const print = `
import { createRequire } from 'node:module';
console.log(createRequire(import.meta.url)('hookwright/schemas/settings.schema.json').title);
`;
  consumer.write('schema.mjs', print);
  expect(await consumer.node('schema.mjs')).toBe('Settings of hookwright');
});
