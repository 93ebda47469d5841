import { isPrivateUseUri } from '../../applications/redirect-uri.js';
import type { ApplicationSummary } from './page-views.js';

/**
 * How pages call an application that sends the browser to `uri`. A host belongs to somebody, but anyone may choose the scheme of a
 * native application, `com.bank:/cb` too: without an approved name such an application is called by its client id.
 */
export function summariseApplication(
  clientId: string,
  uri: string,
  approvedName: string | undefined,
): ApplicationSummary {
  const { host: authority, protocol } = new URL(uri);
  const isNative = isPrivateUseUri(uri);
  const host = isNative ? protocol : authority;
  return {
    name: approvedName ?? (isNative ? clientId : host),
    host,
    isNative,
    isReviewed: approvedName !== undefined,
  };
}
