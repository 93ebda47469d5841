import { ClientApplications1795132800000 } from './1795132800000-client-applications.js';

/** In the order they are applied. A migration is never changed once it was released. */
export const migrations = [ClientApplications1795132800000];
