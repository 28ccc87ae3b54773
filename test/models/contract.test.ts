import { HookTranslatorGenAIv1 } from '../../src/index.ts';
import type {
  Content,
  GenerateContentParameters,
  GenerateContentResponse,
  ToolConfig,
} from '../../src/models/genai-v1/sdk-types.ts';
import { describeTranslator, type TranslatorSamples } from '../../src/testing/index.ts';

const call = { functionCall: { name: 'ls', args: {} } };
const result = { functionResponse: { name: 'ls', response: { output: 'a b' } } };
const image = { inlineData: { mimeType: 'image/png', data: 'AA==' } };

const chat: Content[] = [
  { role: 'user', parts: [{ text: 'What is in here?' }, image] },
  { role: 'model', parts: [{ text: 'I look.' }, call] },
  { role: 'user', parts: [result] },
  { role: 'model', parts: [{ text: 'Two files.' }] },
  { role: 'user', parts: [{ text: 'Thanks.' }] },
];

const samples: TranslatorSamples<GenerateContentParameters, GenerateContentResponse, ToolConfig> = {
  requests: [
    { model: 'gemini', contents: chat },
    {
      model: 'gemini',
      contents: chat.slice(1),
      config: { temperature: 0, tools: [{}], systemInstruction: 'Be brief.' },
    },
  ],
  responses: [
    { candidates: [{ content: { role: 'model', parts: [{ text: 'I look.' }, call] }, finishReason: 'STOP' }] },
    { candidates: [], usageMetadata: { totalTokenCount: 3, cachedContentTokenCount: 1 } },
  ],
  toolConfigs: [
    { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['ls'] }, retrievalConfig: {} },
    { functionCallingConfig: { mode: 'VALIDATED' } },
  ],
  pieces: ({ contents }) =>
    (Array.isArray(contents) ? contents : []).flatMap((content) =>
      content.parts.map((part: { text?: string }) => part.text ?? part),
    ),
};

describeTranslator('genai-v1', () => new HookTranslatorGenAIv1(), samples);
