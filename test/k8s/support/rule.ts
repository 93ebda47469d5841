import type { Manifest } from './manifest.js';

/** Yields a message for each mistake in what one kustomization builds. */
export interface Rule {
  name: string;
  check: (manifests: Manifest[]) => Iterable<string>;
}

export interface Problem {
  rule: string;
  message: string;
}
