/** A color of CSS; empty for a role without one. */
export const toCssColor = (color: number | undefined): string =>
  color === undefined ? '' : `#${color.toString(16).padStart(6, '0')}`;
