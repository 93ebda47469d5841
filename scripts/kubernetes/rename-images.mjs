/** @import { Manifest } from './parse-manifests.mjs' */

const IMAGE = /^gatehouse\/(?<app>[a-z-]+):(?<tag>.+)$/;

/**
 * Takes images from another registry, or with another tag, and names the Jobs after the tag: a Job cannot be changed.
 * @param {Manifest[]} manifests
 * @param {{ registry?: string, tag?: string }} options
 */
export function renameImages(manifests, { registry, tag }) {
  const prefix = registry === undefined ? '' : `${registry.replace(/\/$/, '')}/`;
  for (const { kind, metadata, spec } of manifests)
    for (const container of spec?.template?.spec?.containers ?? []) {
      const { app, tag: own } = IMAGE.exec(container.image)?.groups ?? {};
      if (app === undefined || own === undefined) continue;
      container.image = `${prefix}gatehouse/${app}:${tag ?? own}`;
      if (kind === 'Job' && tag !== undefined) metadata.name = `${app}-${toSuffix(tag)}`;
    }
  return manifests;
}

/** Names of Jobs become labels of pods: lower-case letters, digits and dashes. @param {string} tag */
const toSuffix = (tag) =>
  tag
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '');
