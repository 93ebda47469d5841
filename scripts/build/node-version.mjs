const NEEDED = /** @type {const} */ ([20, 19]);

/** @returns {string | undefined} what to tell somebody whose Node is too old */
export function nodeVersionProblem(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return undefined;
  return `Node ${NEEDED.join('.')} or newer is needed; this is Node ${version}.`;
}
