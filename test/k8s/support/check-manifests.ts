import { customKindRules } from '../rules/custom-kinds.js';
import { environmentRules } from '../rules/environment.js';
import { modelRule } from '../rules/model.js';
import { nameRules } from '../rules/names.js';
import { networkRules } from '../rules/network.js';
import { podRules } from '../rules/pods.js';
import { resourceRules } from '../rules/resources.js';
import { rolloutRules } from '../rules/rollout.js';
import { selectorRules } from '../rules/selectors.js';
import type { Manifest } from './manifest.js';
import type { Problem } from './rule.js';

const rules = [
  ...nameRules,
  ...selectorRules,
  ...resourceRules,
  ...podRules,
  ...environmentRules,
  ...rolloutRules,
  ...networkRules,
  ...customKindRules,
];

/** Rules look into manifests that models accept, because others have no types. */
export function checkManifests(manifests: Manifest[]): Problem[] {
  const unfit = [...modelRule.check(manifests)].map((message) => ({ rule: modelRule.name, message }));
  if (unfit.length > 0) return unfit;
  return rules.flatMap(({ name, check }) =>
    [...check(manifests)].map((message) => ({ rule: name, message })),
  );
}
