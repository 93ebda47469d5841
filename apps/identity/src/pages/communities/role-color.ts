/** A color of CSS; empty for a role without one. */
export const toCssColor = (color: number | undefined): string =>
  color === undefined ? '' : `#${color.toString(16).padStart(6, '0')}`;

/** What new roles are painted in until somebody chooses: the next color that no other role of the community has. */
const NEW_ROLE_COLORS = [
  '#2447c5',
  '#c2410c',
  '#11693a',
  '#9333ea',
  '#b7791f',
  '#0e7490',
  '#be185d',
  '#5a6372',
] as const;

/** @param used colors of CSS; empty for roles without one */
export function chooseColor(used: readonly string[]): string {
  const [first] = NEW_ROLE_COLORS;
  return NEW_ROLE_COLORS.find((color) => !used.includes(color)) ?? first;
}
