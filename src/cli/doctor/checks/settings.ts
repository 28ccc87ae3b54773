import { duplicateKey } from '../../../planner/index.ts';
import type { Check } from '../check.ts';

/** An agent that waits for so long looks dead. */
const LONG_MS = 600_000;

export const timeouts: Check = {
  id: 'timeout',
  title: 'timeouts that look wrong',
  about:
    'Timeouts are milliseconds. The agent waits for its hooks, so one of many minutes makes it look dead. One below a second was probably meant in seconds; that is reported when the settings are read.',
  look: ({ config }) => {
    const { timeout } = config ?? {};
    if (timeout === undefined || timeout <= LONG_MS) return [];
    return [
      {
        severity: 'warning',
        what: `its timeout is ${Math.round(timeout / 60_000)} minutes (${timeout} ms)`,
        why: 'When it hangs, the agent waits that long and looks dead.',
        fix: 'timeouts are milliseconds, so write a smaller number; for long work, let the hook start it and return',
      },
    ];
  },
};

export const shadowed: Check = {
  id: 'shadowed-name',
  title: 'different hooks of the same name',
  about:
    'Hooks are switched on and off by name, and traces and tests refer to them by name. Two hooks that do different things should have different names.',
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
        why: 'Switching one of them off by name switches off both.',
        fix: 'give one of them another name',
      },
    ];
  },
};
