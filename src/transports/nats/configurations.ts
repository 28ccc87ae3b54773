/** That many hosts are remembered; one more forgets the oldest. */
const REMEMBERED = 1_000;

/** Which host of a group runs which configuration. All are to run one: a request is answered by any of them. */
export class Configurations {
  readonly #byHost = new Map<string, string>();
  readonly #told = new Set<string>();

  /** @returns what is wrong, the first time that two configurations are seen together. */
  note(host: string, config: string | undefined): string | undefined {
    if (config === undefined || this.#byHost.get(host) === config) return undefined;
    const other = [...this.#byHost].findLast(([known, theirs]) => known !== host && theirs !== config);
    this.#byHost.delete(host);
    this.#byHost.set(host, config);
    if (this.#byHost.size > REMEMBERED) for (const [oldest] of this.#byHost) return this.#forget(oldest);
    if (other === undefined) return undefined;
    const pair = [config, other[1]].sort().join(' ');
    if (this.#told.has(pair)) return undefined;
    this.#told.add(pair);
    return `hosts of one group run different configurations: ${host} has ${config}, ${other[0]} has ${other[1]}; which hooks a request meets depends on who answers it`;
  }

  #forget(host: string): undefined {
    this.#byHost.delete(host);
    return undefined;
  }
}
