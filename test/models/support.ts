import { readdirSync, readFileSync } from 'node:fs';
import type { GenerateContentParameters, GenerateContentResponse } from '../../src/models/genai-v1/sdk-types.ts';

const folder = new URL('../fixtures/llm/', import.meta.url);

const read = (kind: 'requests' | 'responses'): [name: string, json: string][] =>
  readdirSync(new URL(kind, folder))
    .sort()
    .map((file) => [file.replace('.json', ''), readFileSync(new URL(`${kind}/${file}`, folder), 'utf8')]);

/** Parsed anew and frozen for every test, so that whatever changes an input fails. */
export const requestFixtures = (): [name: string, request: GenerateContentParameters][] =>
  read('requests').map(([name, json]) => [name, deepFreeze(JSON.parse(json))]);

export const responseFixtures = (): [name: string, response: GenerateContentResponse][] =>
  read('responses').map(([name, json]) => [name, deepFreeze(JSON.parse(json))]);

export const requestFixture = (wanted: string): GenerateContentParameters => find(requestFixtures(), wanted);

export const responseFixture = (wanted: string): GenerateContentResponse => find(responseFixtures(), wanted);

const find = <T>(fixtures: [name: string, value: T][], wanted: string): T => {
  const found = fixtures.find(([name]) => name === wanted);
  if (found === undefined) throw new Error(`there is no fixture ${wanted}`);
  return found[1];
};

export const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key));
  }
  return value;
};

/** What a hook in another process sends back: equal, and not the same. */
export const overTheWire = <T>(value: T): T => JSON.parse(JSON.stringify(value));
