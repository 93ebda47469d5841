import { CurrentPrincipal, type Principal } from '@app/auth';
import {
  type CallbackEndpointChange,
  callbackEndpointChange,
  ENDPOINT_DELIVERY_DAYS,
  MAX_ENDPOINTS,
  type NewCallbackEndpoint,
  newCallbackEndpoint,
  pageQuery,
  type PageQuery,
} from '@app/dto';
import type { DeclaredError } from '@app/openapi';
import { Callback, Operation, Returns, ReturnsNothing } from '@app/service';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { MAX_DELIVERIES_PER_RESULT } from '../callback.errors.js';
import { operationReceiverChallenge } from '../callback-body.js';
import {
  callbackEndpoint,
  callbackEndpointList,
  callbackEndpointSecret,
  createdCallbackEndpoint,
  type EndpointClientParams,
  endpointClientParams,
  endpointDeliveryId,
  endpointDeliveryPage,
  type EndpointDeliveryParams,
  endpointDeliveryParams,
  type EndpointParams,
  endpointParams,
  type EndpointRecovery,
  endpointRecovery,
  recoveredDeliveries,
} from './callback-endpoints.dto.js';
import { CallbackEndpointsService } from './callback-endpoints.service.js';
import { EndpointDeliveriesService, MAX_RECOVERED_DELIVERIES } from './endpoint-deliveries.service.js';
import { endpointEventBody } from './endpoint-event-body.js';
import { MAX_ENDPOINT_REQUESTS_PER_MINUTE } from './endpoint-requests.js';

/** The service decides which scope a caller needs, because applications of token gating and of account-kit have endpoints. */
const access = { caller: 'either' } as const;
const WHO =
  'For the application itself, by an API key with the scope `token-gating` or `accountkit`, and for its owner in the portal. ' +
  'Events need the scope of what they are about: `accountkit` for `operation.changed`, `user:wallet:read` of the application for `wallet.linked` and ' +
  '`wallet.unlinked`, none for `application.approved`, and `token-gating` for the others.';

const ACCESS_ERRORS: readonly DeclaredError[] = [
  '403 client_required',
  '403 scope_required',
  '404 client_not_found',
  '503 identity_unavailable',
];
const ENDPOINT_ERRORS: readonly DeclaredError[] = [...ACCESS_ERRORS, '404 callback_endpoint_not_found'];
const REPEAT_ERRORS: readonly DeclaredError[] = [...ENDPOINT_ERRORS, '429 endpoint_request_limit_exceeded'];
const UNVERIFIED = {
  callback_endpoint_approval_required: 'the application is not approved for what endpoints are told',
  callback_endpoint_verification_required: 'the endpoint has not answered its challenge',
} as const;
const CONFLICT = { callback_endpoint_conflict: 'the application has an endpoint with this URL' } as const;
const NO_ENDPOINT = { status: 404, reason: 'the demo application has no endpoint with this id' } as const;
const LIMIT = `At most ${MAX_ENDPOINT_REQUESTS_PER_MINUTE} challenges, tests, deliveries sent again and recoveries of a tenant in a minute.`;

/** URLs to which a client application has events sent (docs/adr/0125-callback-endpoints.md). */
@Controller('client-applications/:clientId/callback-endpoints')
export class CallbackEndpointController {
  constructor(
    private readonly endpoints: CallbackEndpointsService,
    private readonly deliveries: EndpointDeliveriesService,
  ) {}

  @Get()
  @Operation({
    ...access,
    summary: 'The callback endpoints of a client application',
    description: `The URLs to which events are sent, and how they answer, the oldest first. ${WHO}`,
    errors: ACCESS_ERRORS,
  })
  @Returns(callbackEndpointList)
  listCallbackEndpoints(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: endpointClientParams }) { clientId }: EndpointClientParams,
  ) {
    return this.endpoints.list(principal, clientId);
  }

  @Post()
  @Operation({
    ...access,
    requiresWalletLogin: true,
    summary: 'Register a callback endpoint',
    description:
      'Nothing but a challenge is sent until the receiver has answered it with 200 and `{"challenge": "<the same>"}`. The answer has the ' +
      `secret that libraries of Standard Webhooks take, this once only. ${WHO}`,
    conflicts: {
      callback_endpoint_limit_exceeded: `the application has ${MAX_ENDPOINTS} endpoints`,
      ...CONFLICT,
    },
    errors: [...ACCESS_ERRORS, '400 url_invalid', '429 endpoint_request_limit_exceeded'],
  })
  @Callback(z.union([endpointEventBody, operationReceiverChallenge]), {
    name: 'endpointEvent',
    urlField: 'url',
    summary: 'The challenge that the receiver has to answer first, and then events; signed',
  })
  @Returns(createdCallbackEndpoint, { status: 201 })
  createCallbackEndpoint(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: endpointClientParams }) { clientId }: EndpointClientParams,
    @Body({ schema: newCallbackEndpoint }) body: NewCallbackEndpoint,
  ) {
    return this.endpoints.create(principal, clientId, body);
  }

  @Get(':endpointId')
  @Operation({
    ...access,
    summary: 'Get a callback endpoint',
    description: `Its URL, its events, and how it answers. ${WHO}`,
    errors: ENDPOINT_ERRORS,
    example: NO_ENDPOINT,
  })
  @Returns(callbackEndpoint)
  getCallbackEndpoint(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: endpointParams }) params: EndpointParams,
  ) {
    return this.endpoints.find(principal, params);
  }

  @Patch(':endpointId')
  @Operation({
    ...access,
    requiresWalletLogin: true,
    summary: 'Change a callback endpoint',
    description:
      'Another `url` is sent a challenge, and gets nothing else until it has answered; what waits for the old one fails. An endpoint that is ' +
      `not verified, or disabled, is challenged again with its own \`url\`. ${WHO}`,
    conflicts: CONFLICT,
    errors: [...REPEAT_ERRORS, '400 url_invalid'],
    example: NO_ENDPOINT,
  })
  @Returns(callbackEndpoint)
  changeCallbackEndpoint(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: endpointParams }) params: EndpointParams,
    @Body({ schema: callbackEndpointChange }) body: CallbackEndpointChange,
  ) {
    return this.endpoints.change(principal, params, body);
  }

  @Delete(':endpointId')
  @Operation({
    ...access,
    summary: 'Remove a callback endpoint',
    description: `Nothing more is sent to it, and its deliveries are deleted. ${WHO}`,
    errors: ENDPOINT_ERRORS,
    example: NO_ENDPOINT,
  })
  @ReturnsNothing()
  async deleteCallbackEndpoint(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: endpointParams }) params: EndpointParams,
  ): Promise<void> {
    await this.endpoints.remove(principal, params);
  }

  @Post(':endpointId/secret-rotations')
  @Operation({
    ...access,
    requiresWalletLogin: true,
    summary: 'Replace the secret of a callback endpoint',
    description: `For 24 hours the secret before signs beside the new one, which is shown this once only. ${WHO}`,
    errors: ENDPOINT_ERRORS,
    example: NO_ENDPOINT,
  })
  @Returns(callbackEndpointSecret, { status: 201 })
  rotateCallbackEndpointSecret(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: endpointParams }) params: EndpointParams,
  ) {
    return this.endpoints.rotateSecret(principal, params);
  }

  @Post(':endpointId/test')
  @Operation({
    ...access,
    summary: 'Send a test event to a callback endpoint',
    description: `Sends \`endpoint.test\`, whatever the endpoint subscribes to. ${LIMIT} ${WHO}`,
    conflicts: UNVERIFIED,
    errors: REPEAT_ERRORS,
    example: NO_ENDPOINT,
  })
  @Returns(endpointDeliveryId, { status: 202 })
  testCallbackEndpoint(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: endpointParams }) params: EndpointParams,
  ) {
    return this.deliveries.test(principal, params);
  }

  @Get(':endpointId/deliveries')
  @Operation({
    ...access,
    summary: 'List deliveries to a callback endpoint',
    description: `The deliveries of the last ${ENDPOINT_DELIVERY_DAYS} days with their attempts, newest first. ${WHO}`,
    errors: ENDPOINT_ERRORS,
    example: NO_ENDPOINT,
  })
  @Returns(endpointDeliveryPage)
  listCallbackEndpointDeliveries(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: endpointParams }) params: EndpointParams,
    @Query({ schema: pageQuery }) query: PageQuery,
  ) {
    return this.deliveries.list(principal, params, query);
  }

  @Post(':endpointId/deliveries/:deliveryId/redeliveries')
  @Operation({
    ...access,
    summary: 'Send a delivery to a callback endpoint again',
    description: `Under its \`webhook-id\`, so that a receiver that has it already can tell. ${LIMIT} ${WHO}`,
    conflicts: {
      ...UNVERIFIED,
      redelivery_limit_exceeded: `the delivery was sent again ${MAX_DELIVERIES_PER_RESULT} times`,
    },
    errors: [...REPEAT_ERRORS, '404 delivery_not_found'],
    example: NO_ENDPOINT,
  })
  @Returns(endpointDeliveryId, { status: 202 })
  redeliverToCallbackEndpoint(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: endpointDeliveryParams }) params: EndpointDeliveryParams,
  ) {
    return this.deliveries.redeliver(principal, params);
  }

  @Post(':endpointId/recoveries')
  @Operation({
    ...access,
    summary: 'Send failed deliveries to a callback endpoint again',
    description:
      `Of the last ${ENDPOINT_DELIVERY_DAYS} days and the newest ${MAX_RECOVERED_DELIVERIES} deliveries, those that failed, under their \`webhook-id\` and at the pace ` +
      `of other deliveries. ${LIMIT} ${WHO}`,
    conflicts: UNVERIFIED,
    errors: REPEAT_ERRORS,
    example: NO_ENDPOINT,
  })
  @Returns(recoveredDeliveries, { status: 202 })
  recoverCallbackEndpoint(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: endpointParams }) params: EndpointParams,
    @Body({ schema: endpointRecovery }) body: EndpointRecovery,
  ) {
    return this.deliveries.recover(principal, params, body);
  }
}
