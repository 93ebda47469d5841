import type { z } from 'zod';
import type { Condition, RoleRule } from './condition.js';
import { roleId } from './role-id.js';
import { MAX_RULES } from './token-gating-request.js';
import { tokenGatingRule } from './token-gating-rule.js';

/** Conditions within each other, the outermost one counted. */
export const MAX_CONDITION_DEPTH = 8;
/** Conditions of one `allOf` or `anyOf`. */
export const MAX_CONDITIONS_PER_LIST = 50;

const COMPOSITIONS = ['allOf', 'anyOf', 'not'] as const;
type Composition = (typeof COMPOSITIONS)[number];
type Fields = Readonly<Record<string, unknown>>;
type Path = readonly PropertyKey[];

/** Where a condition stands: what it is called in errors, whose role it is, and how deep it lies. */
interface Place {
  readonly path: Path;
  readonly roleId: string;
  readonly level: number;
}

/** Reads the rules of one community, counting what they hold together. Every fault becomes an issue of the context. */
export class RoleRuleParser {
  private leaves = 0;

  constructor(private readonly issues: z.core.$ZodRawIssue[]) {}

  /** Null when it is none; why is an issue by then. */
  parse(value: unknown, index: number): RoleRule | null {
    const path = [index];
    if (!isFields(value)) return this.refuse(path, 'must be a rule, or allOf, anyOf or not');
    const { roleId: written, ...rest } = value;
    const { success, data, error } = roleId.safeParse(written);
    if (!success) return this.forward(error.issues, [...path, 'roleId']);
    const condition = this.readCondition(rest, { path, roleId: data, level: 1 });
    return condition && { roleId: data, condition };
  }

  private readCondition(value: unknown, place: Place): Condition | null {
    const { path, level } = place;
    if (!isFields(value)) return this.refuse(path, 'must be a rule, or allOf, anyOf or not');
    if (level > MAX_CONDITION_DEPTH)
      return this.refuse(path, `lies deeper than ${MAX_CONDITION_DEPTH} conditions within each other`);
    const [kind, second] = COMPOSITIONS.filter((name) => Object.hasOwn(value, name));
    if (kind === undefined) return this.readRule(value, place);
    if (second !== undefined) return this.refuse(path, `must not have both ${kind} and ${second}`);
    const [other] = Object.keys(value).filter((name) => name !== kind);
    if (other !== undefined) return this.refuse([...path, other], `cannot stand beside ${kind}`);
    return this.compose(kind, value[kind], { ...place, path: [...path, kind], level: level + 1 });
  }

  private compose(kind: Composition, value: unknown, place: Place): Condition | null {
    if (kind === 'not') {
      const of = this.readCondition(value, place);
      return of && { kind, of };
    }
    if (!Array.isArray(value) || value.length < 1 || value.length > MAX_CONDITIONS_PER_LIST)
      return this.refuse(place.path, `must be a list of 1 to ${MAX_CONDITIONS_PER_LIST} conditions`);
    const of = value.map((one, at) => this.readCondition(one, { ...place, path: [...place.path, at] }));
    return of.every((one) => one !== null) ? { kind, of } : null;
  }

  private readRule(fields: Fields, { path, roleId }: Place): Condition | null {
    this.leaves += 1;
    // Once there are too many, none of the rest is looked at: what is wrong is said already, and reading costs time.
    if (this.leaves > MAX_RULES) {
      if (this.leaves === MAX_RULES + 1) this.refuse([], `must hold at most ${MAX_RULES} rules in all`);
      return null;
    }
    if (Object.hasOwn(fields, 'roleId'))
      return this.refuse([...path, 'roleId'], 'stands once, beside the outermost condition');
    const { data, error } = tokenGatingRule.safeParse({ ...fields, roleId });
    if (error) return this.forward(error.issues, path);
    return { kind: 'rule', rule: data };
  }

  private refuse(path: Path, message: string): null {
    this.issues.push({ code: 'custom', path: [...path], message, input: undefined });
    return null;
  }

  private forward(found: readonly z.core.$ZodIssue[], base: Path): null {
    for (const issue of found)
      this.issues.push({ ...issue, path: [...base, ...issue.path], input: undefined });
    return null;
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
