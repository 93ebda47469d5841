import type { V1LabelSelector } from './kubernetes-models.js';

/** Whether a label selector matches. An empty one matches everything, a missing one nothing. */
export function selects(selector: V1LabelSelector | undefined, labels: Record<string, string>): boolean {
  if (selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((expression) => satisfies(expression, labels))
  );
}

type Requirement = NonNullable<V1LabelSelector['matchExpressions']>[number];

function satisfies({ key, operator, values = [] }: Requirement, labels: Record<string, string>): boolean {
  const value = labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      throw new Error(`The operator ${operator} does not exist`);
  }
}
