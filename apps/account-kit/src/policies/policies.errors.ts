import { forbidden } from '@app/common';

/** @param issue where in the request, if a part of it is the reason */
export const policyForbidden = (reason: string, issue?: { path: string; message: string }) =>
  forbidden(
    'policy_forbidden',
    `The policy does not allow this: ${reason}.`,
    issue ? { issues: [issue] } : {},
  );
