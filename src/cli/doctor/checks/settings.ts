import { duplicateKey } from '../../../planner/index.ts';
import type { Check } from '../check.ts';

/** An agent that waits for so long looks dead. */
const LONG_MS = 600_000;

export const timeouts: Check = {
  id: 'timeout',
  title: 'timeouts that were hardly meant',
  about:
    'Timeouts are milliseconds. The agent waits for its hooks, so one of many minutes makes it look dead; one below a second was usually meant in seconds, which is reported when the settings are read.',
  look: ({ config }) => {
    const { timeout } = config ?? {};
    if (timeout === undefined || timeout <= LONG_MS) return [];
    return [
      {
        severity: 'warning',
        what: `its timeout is ${Math.round(timeout / 60_000)} minutes (${timeout} ms)`,
        why: 'When it hangs, the agent waits that long and looks dead.',
        fix: 'timeouts are milliseconds, so write fewer of them; for work that takes long let the hook start it and return',
      },
    ];
  },
};

export const shadowed: Check = {
  id: 'shadowed-name',
  title: 'different hooks of the same name',
  about:
    'Hooks are switched on and off by name, all of one name together, and traces and tests speak of them by name. Two that do different things should be called differently.',
  look: ({ row, config }, { hooks }) => {
    if (config?.name === undefined) return [];
    const key = duplicateKey(config);
    const others = hooks.filter(({ row: other, config: its }) => other.name === row.name && its !== undefined);
    const first = others.find(({ config: its }) => its !== undefined && duplicateKey(its) !== key);
    const isLater = first !== undefined && hooks.indexOf(first) < hooks.findIndex((one) => one.row === row);
    if (first === undefined || !isLater) return [];
    return [
      {
        severity: 'warning',
        what: `${first.row.hookId} has the same name and does something else`,
        why: 'Whoever switches one of them off by name switches off both.',
        fix: 'give one of them another name',
      },
    ];
  },
};
