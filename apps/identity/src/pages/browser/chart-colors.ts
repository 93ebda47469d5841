import type { SeriesColor } from './report-view.js';

type Rgb = readonly [number, number, number];

/** WCAG 1.4.11 for graphics. */
const MIN_CONTRAST = 3;
const STEPS = 20;

/** The value of a CSS variable of the page, in its current color scheme. */
export const readStyle = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A color that can be seen on a card. Colors that communities chose are moved towards the color of text as far as needed. */
export function toCssColor(color: SeriesColor): string {
  if ('palette' in color) return readStyle(`--chart-${color.palette}`);
  const [card, ink] = [parseHex(readStyle('--card')), parseHex(readStyle('--ink'))];
  const chosen: Rgb = [color.rgb >> 16, color.rgb >> 8, color.rgb].map(
    (part) => part & 255,
  ) as unknown as Rgb;
  for (let step = 0; step <= STEPS; step += 1) {
    const mixed = mix(chosen, ink, step / STEPS);
    if (getContrast(mixed, card) >= MIN_CONTRAST) return formatHex(mixed);
  }
  return formatHex(ink);
}

const parseHex = (text: string): Rgb =>
  [1, 3, 5].map((start) => Number.parseInt(text.slice(start, start + 2), 16)) as unknown as Rgb;

const formatHex = (color: Rgb): string =>
  `#${color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

const mix = (a: Rgb, b: Rgb, share: number): Rgb =>
  a.map((part, index) => part + ((b[index] ?? 0) - part) * share) as unknown as Rgb;

/** WCAG 2.2, relative luminance. */
function getLuminance(color: Rgb): number {
  const [red, green, blue] = color.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function getContrast(a: Rgb, b: Rgb): number {
  const [dark, light] = [getLuminance(a), getLuminance(b)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}
