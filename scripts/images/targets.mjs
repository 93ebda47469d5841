import { apps } from '../suite/apps.mjs';

/** The images: targets of docker/Dockerfile. */
export const imageTargets = [...apps.map(({ name }) => name), 'migrate', 'client'];
