interface KnownHost {
  heardAt: number;
  /** It has got whatever came to it of all questions up to this one. */
  passed: number;
}

/**
 * Hosts that this process has heard of. What a broker has for one it gives in order: a host that took or said something that
 * came later has no earlier question before it any more.
 */
export class KnownHosts {
  readonly #hosts = new Map<string, KnownHost>();

  heardOf(host: string, passed: number): void {
    const heardAt = performance.now();
    const known = this.#hosts.get(host);
    if (known === undefined) this.#hosts.set(host, { heardAt, passed });
    else {
      known.heardAt = heardAt;
      known.passed = Math.max(known.passed, passed);
    }
  }

  gone(host: string): void {
    this.#hosts.delete(host);
  }

  /** By `performance.now()`; never is 0. */
  heardAt(host: string): number {
    return this.#hosts.get(host)?.heardAt ?? 0;
  }

  /** One that was heard of since, and is not that one. */
  other(host: string | undefined, since: number): string | undefined {
    return [...this.#hosts].find(([name, { heardAt }]) => name !== host && heardAt >= since)?.[0];
  }

  /** Where a question may be that nobody took: still with one of those that were heard of since, with none of them, or nobody knows. */
  whereabouts(order: number, since: number): 'waiting' | 'nowhere' | 'unknown' {
    const heard = [...this.#hosts.values()].filter(({ heardAt }) => heardAt >= since);
    if (heard.length === 0) return 'unknown';
    return heard.some(({ passed }) => passed < order) ? 'waiting' : 'nowhere';
  }
}
