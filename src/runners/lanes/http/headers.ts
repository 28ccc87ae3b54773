import type { Variables } from '../../command/shell-words.ts';

export interface HeadersToSend {
  readonly headers: Readonly<Record<string, string>>;
  /** Names of variables that were left out: not allowed, or not set. */
  readonly empty: readonly string[];
  /** Headers that cannot be sent: they are ours to set, or hold what no header may. */
  readonly refused: readonly string[];
}

/** They say where a message begins and ends, and to whom it goes; a hook does not get to say another thing than we do. */
const ours =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|expect|upgrade|te|trailer|proxy-.*)$/i;

const isName = (name: string): boolean => /^[!#$%&'*+.^_`|~\w-]+$/.test(name);

/** What Node would throw at, and what would begin another header. */
const isValue = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value);

const reference = /\$(?:\{(\w+)\}|(\w+))/g;

/**
 * Fills `$NAME` and `${NAME}` into the values of headers: only variables that the hook says it needs, and that it is told
 * of at all. Every other one is left empty, and named, so that a missing token does not go unnoticed.
 */
export const headersToSend = (
  written: Readonly<Record<string, string>> = {},
  allowed: readonly string[] = [],
  environment: Variables = {},
): HeadersToSend => {
  const headers: Record<string, string> = {};
  const empty = new Set<string>();
  const refused: string[] = [];
  for (const [name, template] of Object.entries(written)) {
    const value = template.replace(reference, (_all, braced?: string, bare?: string) => {
      const variable = braced ?? bare ?? '';
      const found = allowed.includes(variable) && Object.hasOwn(environment, variable) ? environment[variable] : '';
      if (found === '' || found === undefined) empty.add(variable);
      return found ?? '';
    });
    if (ours.test(name) || !isName(name) || !isValue(value)) refused.push(name);
    else headers[name.toLowerCase()] = value;
  }
  return { headers, empty: [...empty], refused };
};
