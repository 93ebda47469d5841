import { ANONYMOUS_PRINCIPAL } from '@app/auth';
import { type DirectRoute, getIdempotencyKey, getRequestingClient, parseInput } from '@app/service';
import { AccessControlController, checkRolesBody, memberParams } from './access-control.controller.js';
import { getPreferences, getRequester } from './request.decorators.js';

const checkRolesRoute: DirectRoute = {
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

const memberRolesRoute: DirectRoute = {
  method: 'GET',
  path: '/access-control/:communityId/:userId/roles',
  controller: AccessControlController,
  handler: 'getRoles',
  createHandler: (app) => {
    const controller = app.get(AccessControlController);
    return async (request, response) => {
      const params = parseInput(memberParams, request.params);
      const principal = request.principal ?? ANONYMOUS_PRINCIPAL;
      return controller.getRoles(params, principal, getPreferences(request), response);
    };
  },
};

/** Nearly all that token-gating is asked for. */
export const DIRECT_ROUTES: readonly DirectRoute[] = [checkRolesRoute, memberRolesRoute];
