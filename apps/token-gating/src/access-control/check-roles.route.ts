import { ANONYMOUS_PRINCIPAL } from '@app/auth';
import { type DirectRoute, getIdempotencyKey, getRequestingClient } from '@app/service';
import { AccessControlController, checkRolesBody } from './access-control.controller.js';
import { getPreferences, getRequester } from './request.decorators.js';

/** check-roles, which is nearly all that token-gating is asked for. */
export const checkRolesRoute: DirectRoute = {
  method: 'POST',
  path: '/access-control/check-roles',
  controller: AccessControlController,
  handler: 'checkRoles',
  createHandler: (app, validator) => {
    const controller = app.get(AccessControlController);
    return async (request, response) => {
      const client = getRequestingClient(request);
      const requester = getRequester(request);
      const idempotencyKey = getIdempotencyKey(request);
      const preferences = getPreferences(request);
      // Last, as with the decorators: Nest waits for the validation, and a missing client is refused meanwhile.
      const body = validator.validate(checkRolesBody, request.body);
      const principal = request.principal ?? ANONYMOUS_PRINCIPAL;
      return controller.checkRoles(body, client, requester, principal, idempotencyKey, preferences, response);
    };
  },
};
