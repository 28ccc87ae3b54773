/** Detects hosts of one group with different configurations, since any of them may answer a request. */

const MAX_REMEMBERED_HOSTS = 1_000;

export class HostConfigurations {
  readonly #byHost = new Map<string, string>();
  readonly #reported = new Set<string>();

  note(host: string, config: string | undefined): string | undefined {
    if (config === undefined || this.#byHost.get(host) === config) return undefined;
    const other = [...this.#byHost].findLast(([known, theirs]) => known !== host && theirs !== config);
    this.#byHost.delete(host);
    this.#byHost.set(host, config);
    if (this.#byHost.size > MAX_REMEMBERED_HOSTS) for (const [oldest] of this.#byHost) return this.#forget(oldest);
    if (other === undefined) return undefined;
    const pair = [config, other[1]].sort().join(' ');
    if (this.#reported.has(pair)) return undefined;
    this.#reported.add(pair);
    return `hosts of one group run different configurations: ${host} has ${config}, ${other[0]} has ${other[1]}; which hooks a request meets depends on who answers it`;
  }

  #forget(host: string): undefined {
    this.#byHost.delete(host);
    return undefined;
  }
}
