// Compares a recorded decision with the decision under another configuration, and describes the differences.
import { isRecord } from '../../../kit/index.ts';
import { isMorePermissive, type Verdict } from '../../../protocol/index.ts';
import { isEqualAsShortened, isEqualExceptMarks } from '../../index.ts';
import { flattenFields, formatPreview, isEqualJson, listDifferingPaths } from '../compare-fields.ts';
import type { Decision, DecisionFault } from './decision.ts';

/** Kinds of differences between two decisions, worst first. */
export const decisionKinds = [
  'newly-allowed',
  'unknown',
  'newly-blocked',
  'faults',
  'changed-input',
  'changed-verdict',
  'changed-context',
  'changed-order',
  'unchanged',
] as const;

export type DecisionKind = (typeof decisionKinds)[number];

export interface ComparisonContext {
  readonly payload: object;
  readonly isTraced: boolean;
  /** True if hooks really ran, so that their answers may contain secrets which are redacted in the recording. */
  readonly isReal: boolean;
}

export interface DecisionComparison {
  readonly kinds: DecisionKind[];
  readonly details: string[];
}

const MAX_FIELDS_SHOWN = 20;

const classifyVerdictChange = (before: Verdict, after: Verdict): DecisionKind => {
  if (isMorePermissive(after, before)) return 'newly-allowed';
  return isMorePermissive(before, after) && after !== 'none' ? 'newly-blocked' : 'changed-verdict';
};

type EqualityCheck = (before: unknown, after: unknown) => boolean;

const isSameAsRecorded: EqualityCheck = (recorded, now) =>
  typeof recorded === 'string' && typeof now === 'string'
    ? isEqualAsShortened(recorded, now)
    : isEqualJson(recorded, now);

const isSameExceptMarks: EqualityCheck = (recorded, now) =>
  (typeof recorded === 'string' && typeof now === 'string' && isEqualExceptMarks(recorded, now)) ||
  isSameAsRecorded(recorded, now);

type FieldValues = Readonly<Record<string, unknown>> | undefined;

const formatFieldChanges = (
  same: EqualityCheck,
  before: FieldValues,
  after: FieldValues,
  unchanged?: FieldValues,
): string[] => {
  const [earlier, later] = [flattenFields(before), flattenFields(after)];
  const paths = listDifferingPaths(earlier, later, same);
  if (paths.length === 0) return [];
  const asItWas = flattenFields(unchanged);
  const value = (fields: ReadonlyMap<string, unknown>, path: string): string =>
    formatPreview(fields.has(path) ? fields.get(path) : asItWas.get(path));
  const lines = paths
    .slice(0, MAX_FIELDS_SHOWN)
    .map((path) => `${path}: ${value(earlier, path)} → ${value(later, path)}`);
  const left = paths.length - lines.length;
  return left === 0 ? lines : [...lines, `and ${left} more fields`];
};

const formatTextChanges = (
  same: EqualityCheck,
  name: string,
  before: string | undefined,
  after: string | undefined,
): string[] => (same(before, after) ? [] : [`${name}: ${formatPreview(before)} → ${formatPreview(after)}`]);

const excludeNames = (names: readonly string[], others: readonly string[]): string[] => {
  const left = [...others];
  return names.filter((name) => {
    const at = left.indexOf(name);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
};

const formatNames = (label: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${label}: ${names.join(', ')}`];

const formatRunMode = ({ sequential }: Decision): string => (sequential === true ? 'one after another' : 'at once');

const formatOrderChanges = (before: Decision, after: Decision): string[] => {
  const gone = excludeNames(before.order, after.order);
  const come = excludeNames(after.order, before.order);
  const [earlier, later] = [excludeNames(before.order, gone), excludeNames(after.order, come)];
  const modeChanged = before.order.length > 1 && after.order.length > 1 && before.sequential !== after.sequential;
  return [
    ...formatNames('runs no longer', gone),
    ...formatNames('runs now', come),
    ...(isEqualJson(earlier, later) ? [] : [`order: ${earlier.join(', ')} → ${later.join(', ')}`]),
    ...(modeChanged ? [`hooks run: ${formatRunMode(before)} → ${formatRunMode(after)}`] : []),
  ];
};

const formatFault = ({ hook, code }: DecisionFault): string => `${hook} ${code}`;

const formatFaultChanges = (before: Decision, after: Decision): string[] => {
  const [earlier, later] = [before.faults.map(formatFault), after.faults.map(formatFault)];
  return [
    ...formatNames('fault gone', excludeNames(earlier, later)),
    ...formatNames('new fault', excludeNames(later, earlier)),
  ];
};

const formatVerdict = ({ verdict, unknown }: Decision): string =>
  unknown === undefined ? verdict : verdict === 'none' ? 'unknown' : `${verdict} or stricter`;

class ComparisonFindings {
  readonly #kinds = new Set<DecisionKind>();
  readonly details: string[] = [];

  add(kind: DecisionKind | undefined, lines: readonly string[]): void {
    if (lines.length === 0) return;
    if (kind !== undefined) this.#kinds.add(kind);
    this.details.push(...lines);
  }

  get kinds(): DecisionKind[] {
    return this.#kinds.size === 0 ? ['unchanged'] : decisionKinds.filter((kind) => this.#kinds.has(kind));
  }
}

/** If some answers are unknown, only differences that no unknown answer could undo are reported. */
export const compareDecisions = (
  before: Decision,
  after: Decision,
  { payload, isTraced, isReal }: ComparisonContext,
): DecisionComparison => {
  const same = isReal ? isSameExceptMarks : isSameAsRecorded;
  const findings = new ComparisonFindings();
  const isSure = after.unknown === undefined;
  const ifSure = (kind: DecisionKind): DecisionKind | undefined => (isSure ? kind : undefined);
  const unchanged = isRecord(payload) ? payload : undefined;

  findings.add('unknown', after.unknown?.map(({ hook, why }) => `unknown: ${hook} (${why})`) ?? []);
  if (before.verdict !== after.verdict) {
    const kind = classifyVerdictChange(before.verdict, after.verdict);
    const line = `verdict: ${formatVerdict(before)} → ${formatVerdict(after)}`;
    findings.add(kind === 'newly-blocked' ? kind : ifSure(kind), [line]);
  }
  const reasonKind = before.verdict === after.verdict ? ifSure('changed-verdict') : undefined;
  findings.add(reasonKind, formatTextChanges(same, 'reason', before.reason, after.reason));
  if (before.error !== after.error)
    findings.add('faults', [`request: ${before.error ?? 'answered'} → ${after.error ?? 'answered'}`]);
  if (isTraced) findings.add('faults', formatFaultChanges(before, after));
  findings.add(ifSure('changed-input'), formatFieldChanges(same, before.input, after.input, unchanged));
  findings.add(ifSure('changed-context'), formatTextChanges(same, 'context', before.context, after.context));
  findings.add(ifSure('changed-context'), formatFieldChanges(same, before.other, after.other));
  if (isTraced) findings.add('changed-order', formatOrderChanges(before, after));
  return { kinds: findings.kinds, details: findings.details };
};
