import { describe } from 'vitest';

/** The SDK of a version, for tests that are the same for all: each has types of its own, which the type tests look at. */
export interface AiSdk {
  // biome-ignore lint/suspicious/noExplicitAny: the same calls in the types of two releases
  readonly ai: any;
  /** Makes a mock of the SDK's own, of the newest specification that this version has. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly mock: (options: object) => any;
}

const load = async (name: string, mock: string): Promise<AiSdk> => {
  const ai = await import(/* @vite-ignore */ name);
  const mocks = await import(/* @vite-ignore */ `${name}/test`);
  return { ai, mock: (options) => new mocks[mock](options) };
};

const [major = 0] = process.versions.node.split('.').map(Number);

/** The tests of each version that this Node can run; the titles of the others say why they are skipped. */
export const describeVersions = (title: string, tests: (sdk: () => AiSdk) => void): void => {
  const versions = [
    { version: 6, name: 'ai', mock: 'MockLanguageModelV3', node: 20 },
    { version: 7, name: 'ai-7', mock: 'MockLanguageModelV4', node: 22 },
  ];
  for (const { version, name, mock, node } of versions) {
    const cannot = major < node;
    const why = cannot ? `, skipped: it needs Node ${node}` : '';
    describe.skipIf(cannot)(`${title}, AI SDK ${version}${why}`, async () => {
      const sdk = cannot ? undefined : await load(name, mock);
      tests(() => {
        if (sdk === undefined) throw new Error('unreachable: skipped');
        return sdk;
      });
    });
  }
};
