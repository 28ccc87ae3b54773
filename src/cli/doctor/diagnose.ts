import { originOf } from '../../protocol/index.ts';
import { type Check, type Diagnosis, type ExaminedHook, severities, type World } from './check.ts';
import { checks } from './checks.ts';

/** A diagnosis with whose it is and where that stands. */
export interface PlacedDiagnosis extends Diagnosis {
  readonly check: string;
  readonly hookId: string;
  readonly name: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

const positionOf = ({ row: { source }, config }: ExaminedHook): Pick<PlacedDiagnosis, 'file' | 'line' | 'column'> => {
  const position = config === undefined ? undefined : originOf(config)?.position;
  if (position !== undefined) return position;
  const { file, line } = source;
  return { ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }) };
};

/** All that is found about all hooks, the worst first. */
export const diagnose = (world: World, all: readonly Check[] = checks): PlacedDiagnosis[] =>
  world.hooks
    .flatMap((hook) =>
      all.flatMap(({ id, look }) =>
        look(hook, world).map((diagnosis): PlacedDiagnosis => {
          const { hookId, name } = hook.row;
          return { check: id, hookId, name, ...positionOf(hook), ...diagnosis };
        }),
      ),
    )
    .sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));

/** Findings that are told as one; there is at least one of them. */
export type Found = readonly [PlacedDiagnosis, ...PlacedDiagnosis[]];

/** The same found of several hooks, together where the first of them stands. */
export const alike = (
  diagnoses: readonly PlacedDiagnosis[],
  by: (one: PlacedDiagnosis) => string,
): readonly Found[] => {
  const groups = new Map<string, [PlacedDiagnosis, ...PlacedDiagnosis[]]>();
  for (const one of diagnoses) {
    const group = groups.get(by(one));
    if (group === undefined) groups.set(by(one), [one]);
    else group.push(one);
  }
  return [...groups.values()];
};
