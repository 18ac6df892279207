import { CommandError } from './errors.ts';
import { compileExpression, type Variables } from './expressions/compile.ts';
import { compileMatch } from './match.ts';
import { elementMatch } from './match-operators.ts';
import type { Positions } from './match-path.ts';
import { assign, plainAt, type Path } from './paths.ts';
import { isNumeric, isOperatorDoc, isPlain, isTruthy, num, own, setOwn, type Doc, type Value } from './values.ts';

interface Tree {
  [key: string]: Tree | true;
}
export type Projector = (doc: Doc, positions?: Positions) => Doc;
/** A step on the result of the previous ones, with the source document. */
type Step = (result: Doc, doc: Doc, positions?: Positions) => void;

interface Plan {
  tree: Tree;
  steps: Step[];
  slices: string[];
  mode: 'include' | 'exclude' | undefined;
  id: boolean;
}
interface Source {
  variables: Variables;
  /** A pipeline's `$project` stage, as opposed to a find projection. */
  isStage: boolean;
}

function addPath(tree: Tree, path: string): void {
  let at = tree;
  const parts = path.split('.');
  const last = parts.pop() ?? '';
  for (const part of parts) {
    const next: Tree | true = own(at, part) ?? {};
    if (next === true) throw new CommandError(31249, `Path collision at ${path}`);
    setOwn(at, part, next);
    at = next;
  }
  if (own(at, last)) throw new CommandError(31250, `Path collision at ${path}`);
  setOwn(at, last, true);
}

function include(value: Value, tree: Tree): Value {
  if (Array.isArray(value)) return value.map((each) => include(each, tree)).filter((each) => each !== undefined);
  if (!isPlain(value)) return undefined;
  const result: Doc = {};
  for (const key of Object.keys(value)) {
    const branch: Tree | true | undefined = own(tree, key);
    const kept = branch === true ? value[key] : branch && include(value[key], branch);
    if (kept !== undefined) setOwn(result, key, kept);
  }
  return result;
}

function exclude(value: Value, tree: Tree): Value {
  if (Array.isArray(value)) return value.map((each) => exclude(each, tree));
  if (!isPlain(value)) return value;
  const result: Doc = {};
  for (const key of Object.keys(value)) {
    const branch: Tree | true | undefined = own(tree, key);
    if (branch !== true) setOwn(result, key, branch ? exclude(value[key], branch) : value[key]);
  }
  return result;
}

function setMode(plan: Plan, mode: 'include' | 'exclude', path: string): void {
  if (plan.mode && plan.mode !== mode) {
    throw new CommandError(31254, `Cannot ${mode} the field ${path} in a projection that does the opposite`);
  }
  plan.mode = mode;
}

const sliceStep = (path: Path, operand: Value): Step => {
  const [skip, count] = Array.isArray(operand) ? operand.map(num) : [Math.min(num(operand), 0), Math.abs(num(operand))];
  return (result) => {
    const items = plainAt(result, path);
    if (!Array.isArray(items)) return;
    const from = (skip ?? 0) < 0 ? Math.max(0, items.length + (skip ?? 0)) : (skip ?? 0);
    assign(result, path, items.slice(from, from + (count ?? 0)));
  };
};

const elementStep = (path: Path, operand: Value, variables: Variables): Step => {
  const test = elementMatch(operand, (filter) => compileMatch(filter, variables));
  return (result, doc) => {
    const items = plainAt(doc, path);
    const hit = Array.isArray(items) ? items.find(test) : undefined;
    if (hit !== undefined) assign(result, path, [hit]);
  };
};

const positionalStep = (path: string): Step => {
  const isNear = (other: string): boolean =>
    other === path || other.startsWith(`${path}.`) || path.startsWith(`${other}.`);
  return (result, _doc, positions = new Map()) => {
    const items = plainAt(result, path.split('.'));
    if (!Array.isArray(items)) return;
    const at = [...positions].find(([other]) => isNear(other))?.[1] ?? [...positions.values()].at(-1);
    if (at === undefined)
      throw new CommandError(51246, "positional operator '.$' couldn't find a matching element in the array");
    assign(result, path.split('.'), items.slice(at, at + 1));
  };
};

const computedStep = (path: Path, operand: Value, variables: Variables): Step => {
  const expression = compileExpression(operand);
  return (result, doc) => assign(result, path, expression({ root: doc, variables }));
};

const isFlag = (value: Value): boolean => typeof value === 'boolean' || isNumeric(value);

function visit(plan: Plan, [path, value]: [string, Value], source: Source): void {
  if (path === '' || path.split('.').includes(''))
    throw new CommandError(40353, `FieldPath '${path}' has an empty part.`);
  if (isFlag(value)) return visitFlag(plan, path, isTruthy(value));
  if (isPlain(value) && !isOperatorDoc(value) && Object.keys(value).length) {
    for (const [key, inner] of Object.entries(value)) visit(plan, [`${path}.${key}`, inner], source);
    return;
  }
  const parts = path.split('.');
  if (!source.isStage && isPlain(value) && '$slice' in value) {
    plan.steps.push(sliceStep(parts, value.$slice));
    plan.slices.push(path);
    return;
  }
  setMode(plan, 'include', path);
  const isElement = !source.isStage && isPlain(value) && '$elemMatch' in value;
  const step = isElement
    ? elementStep(parts, value.$elemMatch, source.variables)
    : computedStep(parts, value, source.variables);
  plan.steps.push(step);
}

function visitFlag(plan: Plan, path: string, flag: boolean): void {
  if (path === '_id') {
    plan.id = flag;
    return;
  }
  setMode(plan, flag ? 'include' : 'exclude', path);
  const isPositional = path.endsWith('.$');
  const field = isPositional ? path.slice(0, -2) : path;
  if (field.split('.').some((part) => part.startsWith('$'))) {
    throw new CommandError(16410, "FieldPath field names may not start with '$'.");
  }
  addPath(plan.tree, field);
  if (isPositional) plan.steps.push(positionalStep(field));
}

/** Compiles a projection; undefined if it requests whole documents. */
export function compileProjection(spec: Doc | null | undefined, source: Source): Projector | undefined {
  if (!spec || !Object.keys(spec).length) return undefined;
  const plan: Plan = { tree: {}, steps: [], slices: [], mode: undefined, id: true };
  for (const entry of Object.entries(spec)) visit(plan, entry, source);
  const isIncluding =
    plan.mode === 'include' || (plan.mode === undefined && plan.id && '_id' in spec && !plan.steps.length);
  if (isIncluding === plan.id && !own(plan.tree, '_id')) plan.tree._id = true;
  if (isIncluding) for (const path of plan.slices) addPath(plan.tree, path);
  const pick = isIncluding ? include : exclude;
  return (doc, positions) => {
    const result = pick(doc, plan.tree);
    for (const step of plan.steps) step(result, doc, positions);
    return result;
  };
}
