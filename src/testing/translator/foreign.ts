/** A request and a response of each SDK whose shape is known, that no other SDK's translator can read. */
export const foreignShapes: readonly { readonly name: string; readonly request: object; readonly response: object }[] =
  [
    {
      name: 'genai-v1',
      request: { model: 'm', contents: [{ role: 'user', parts: [{ text: 'Hi.' }] }] },
      response: { candidates: [{ content: { role: 'model', parts: [{ text: 'Hi.' }] } }] },
    },
    {
      name: 'openai-responses',
      request: { model: 'm', input: [{ role: 'user', content: 'Hi.' }] },
      response: { id: 'r', object: 'response', output: [] },
    },
    {
      name: 'anthropic',
      request: {
        model: 'm',
        max_tokens: 100,
        system: 'Be brief.',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }],
      },
      response: { id: 'r', content: [{ type: 'text', text: 'Hi.' }], stop_reason: 'end_turn' },
    },
    {
      name: 'openai-chat',
      request: {
        model: 'm',
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }],
      },
      response: { id: 'r', choices: [{ message: { role: 'assistant', content: 'Hi.' } }] },
    },
    {
      name: 'ai-sdk',
      request: { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }] },
      response: { content: [{ type: 'text', text: 'Hi.' }], finishReason: 'stop' },
    },
  ];
