/**
 * The operations of the API and the codes of its errors, generated from libs/openapi/openapi.json and the error factories by
 * `npm run contract`.
 */

export interface paths {
    "/access-control/check-roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check which roles rules grant to an account
         * @description Returns one entry per role, in the order of first occurrence; a role is granted when one of its rules is. An entry of `rules` may be a tree of rules (`allOf`, `anyOf`, `not`, `atLeast`). When a node does not answer, the status is 503 with Retry-After; with the header `Prefer: handling=lenient` it is 200 with `errors`; with `Prefer: explain` the response says why, of each rule. With `async` or `callbackUrl` the response is a requestId, at once; an `Idempotency-Key` header makes retries of that safe.
         *
         *     For client applications with the scope `token-gating`.
         */
        post: operations["AccessControlController.checkRoles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access-control/check-roles/responses/{requestId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the result of an asynchronous check
         * @description The result of a check that was requested with `async` or `callbackUrl`, for the client application that requested it; 202 until it is there. With `explanations` where the check was requested with `explain`, by the same caller.
         *
         *     For client applications with the scope `token-gating`.
         */
        get: operations["AccessControlController.getCheckRolesResponse"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access-control/check-roles/responses/{requestId}/redeliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the callback of an asynchronous check again
         * @description Sends the result of a finished check to its `callbackUrl` once more, signed as before, for a receiver that was down or lost it. The client application that requested the check may ask for it.
         *
         *     For client applications with the scope `token-gating`.
         */
        post: operations["AccessControlController.redeliverCheckRolesResponse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access-control/{communityId}/{userId}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the roles of a community member
         * @description Checks the community's rules against the summed holdings of all wallets of the member and stores the roles that changed. `userId` is the id of the user or their id on their platform. For the member, administrators of the community and client applications attached to it; 404 for all others. An undetermined role stays as it is: when a node does not answer, the status is 503 with Retry-After; with the header `Prefer: handling=lenient` it is 200 with `errors`. With `Prefer: explain` it says why, of each rule; wallets and amounts are for the member alone.
         *
         *     For client applications and signed-in users with the scope `token-gating`.
         */
        get: operations["AccessControlController.getRoles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v2/operation-callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the callback URL for operations of the client application
         * @description The URL that was registered for changes of user operations and Solana transactions of the client application; 404 where there is none.
         *
         *     For client applications with the scope `accountkit`.
         *
         *     The example gets 404: the demo client application has no callback URL.
         */
        get: operations["OperationCallbackController.getOperationCallback"];
        /**
         * Register the callback URL for operations of the client application
         * @description Each change of the state of a user operation or Solana transaction is sent there, signed like every callback. Another URL replaces the one before.
         *
         *     For client applications with the scope `accountkit`.
         */
        put: operations["OperationCallbackController.registerOperationCallback"];
        post?: never;
        /**
         * Remove the callback URL for operations of the client application
         * @description From now on changes of operations are sent nowhere, and callbacks that wait are not sent any more. The states themselves can still be read.
         *
         *     For client applications with the scope `accountkit`.
         */
        delete: operations["OperationCallbackController.removeOperationCallback"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-applications/{clientId}/callback-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The callback endpoints of a client application
         * @description The URLs to which events are sent, and how they answer, the oldest first. For the application itself, by an API key with the scope `token-gating` or `accountkit`, and for its owner in the portal. Events need the scope of what they are about: `accountkit` for `operation.changed`, `user:wallet:read` of the application for `wallet.linked` and `wallet.unlinked`, none for `application.approved`, and `token-gating` for the others.
         *
         *     For client applications and signed-in users.
         */
        get: operations["CallbackEndpointController.listCallbackEndpoints"];
        put?: never;
        /**
         * Register a callback endpoint
         * @description Nothing but a challenge is sent until the receiver has answered it with 200 and `{"challenge": "<the same>"}`. The answer has the secret that libraries of Standard Webhooks take, this once only. For the application itself, by an API key with the scope `token-gating` or `accountkit`, and for its owner in the portal. Events need the scope of what they are about: `accountkit` for `operation.changed`, `user:wallet:read` of the application for `wallet.linked` and `wallet.unlinked`, none for `application.approved`, and `token-gating` for the others.
         *
         *     For client applications and signed-in users. A sign-in with a passkey is not enough.
         */
        post: operations["CallbackEndpointController.createCallbackEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-applications/{clientId}/callback-endpoints/{endpointId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a callback endpoint
         * @description Its URL, its events, and how it answers. For the application itself, by an API key with the scope `token-gating` or `accountkit`, and for its owner in the portal. Events need the scope of what they are about: `accountkit` for `operation.changed`, `user:wallet:read` of the application for `wallet.linked` and `wallet.unlinked`, none for `application.approved`, and `token-gating` for the others.
         *
         *     For client applications and signed-in users.
         *
         *     The example gets 404: the demo application has no endpoint with this id.
         */
        get: operations["CallbackEndpointController.getCallbackEndpoint"];
        put?: never;
        post?: never;
        /**
         * Remove a callback endpoint
         * @description Nothing more is sent to it, and its deliveries are deleted. For the application itself, by an API key with the scope `token-gating` or `accountkit`, and for its owner in the portal. Events need the scope of what they are about: `accountkit` for `operation.changed`, `user:wallet:read` of the application for `wallet.linked` and `wallet.unlinked`, none for `application.approved`, and `token-gating` for the others.
         *
         *     For client applications and signed-in users.
         *
         *     The example gets 404: the demo application has no endpoint with this id.
         */
        delete: operations["CallbackEndpointController.deleteCallbackEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change a callback endpoint
         * @description Another `url` is sent a challenge, and gets nothing else until it has answered; what waits for the old one fails. An endpoint that is not verified, or disabled, is challenged again with its own `url`. For the application itself, by an API key with the scope `token-gating` or `accountkit`, and for its owner in the portal. Events need the scope of what they are about: `accountkit` for `operation.changed`, `user:wallet:read` of the application for `wallet.linked` and `wallet.unlinked`, none for `application.approved`, and `token-gating` for the others.
         *
         *     For client applications and signed-in users. A sign-in with a passkey is not enough.
         *
         *     The example gets 404: the demo application has no endpoint with this id.
         */
        patch: operations["CallbackEndpointController.changeCallbackEndpoint"];
        trace?: never;
    };
    "/client-applications/{clientId}/callback-endpoints/{endpointId}/secret-rotations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of a callback endpoint
         * @description For 24 hours the secret before signs beside the new one, which is shown this once only. For the application itself, by an API key with the scope `token-gating` or `accountkit`, and for its owner in the portal. Events need the scope of what they are about: `accountkit` for `operation.changed`, `user:wallet:read` of the application for `wallet.linked` and `wallet.unlinked`, none for `application.approved`, and `token-gating` for the others.
         *
         *     For client applications and signed-in users. A sign-in with a passkey is not enough.
         *
         *     The example gets 404: the demo application has no endpoint with this id.
         */
        post: operations["CallbackEndpointController.rotateCallbackEndpointSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-applications/{clientId}/callback-endpoints/{endpointId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event to a callback endpoint
         * @description Sends `endpoint.test`, whatever the endpoint subscribes to. At most 10 challenges, tests, deliveries sent again and recoveries of a tenant in a minute. For the application itself, by an API key with the scope `token-gating` or `accountkit`, and for its owner in the portal. Events need the scope of what they are about: `accountkit` for `operation.changed`, `user:wallet:read` of the application for `wallet.linked` and `wallet.unlinked`, none for `application.approved`, and `token-gating` for the others.
         *
         *     For client applications and signed-in users.
         *
         *     The example gets 404: the demo application has no endpoint with this id.
         */
        post: operations["CallbackEndpointController.testCallbackEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-applications/{clientId}/callback-endpoints/{endpointId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries to a callback endpoint
         * @description The deliveries of the last 3 days with their attempts, newest first. For the application itself, by an API key with the scope `token-gating` or `accountkit`, and for its owner in the portal. Events need the scope of what they are about: `accountkit` for `operation.changed`, `user:wallet:read` of the application for `wallet.linked` and `wallet.unlinked`, none for `application.approved`, and `token-gating` for the others.
         *
         *     For client applications and signed-in users.
         *
         *     The example gets 404: the demo application has no endpoint with this id.
         */
        get: operations["CallbackEndpointController.listCallbackEndpointDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-applications/{clientId}/callback-endpoints/{endpointId}/deliveries/{deliveryId}/redeliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery to a callback endpoint again
         * @description Under its `webhook-id`, so that a receiver that has it already can tell. At most 10 challenges, tests, deliveries sent again and recoveries of a tenant in a minute. For the application itself, by an API key with the scope `token-gating` or `accountkit`, and for its owner in the portal. Events need the scope of what they are about: `accountkit` for `operation.changed`, `user:wallet:read` of the application for `wallet.linked` and `wallet.unlinked`, none for `application.approved`, and `token-gating` for the others.
         *
         *     For client applications and signed-in users.
         *
         *     The example gets 404: the demo application has no endpoint with this id.
         */
        post: operations["CallbackEndpointController.redeliverToCallbackEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-applications/{clientId}/callback-endpoints/{endpointId}/recoveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send failed deliveries to a callback endpoint again
         * @description Of the last 3 days and the newest 10000 deliveries, those that failed, under their `webhook-id` and at the pace of other deliveries. At most 10 challenges, tests, deliveries sent again and recoveries of a tenant in a minute. For the application itself, by an API key with the scope `token-gating` or `accountkit`, and for its owner in the portal. Events need the scope of what they are about: `accountkit` for `operation.changed`, `user:wallet:read` of the application for `wallet.linked` and `wallet.unlinked`, none for `application.approved`, and `token-gating` for the others.
         *
         *     For client applications and signed-in users.
         *
         *     The example gets 404: the demo application has no endpoint with this id.
         */
        post: operations["CallbackEndpointController.recoverCallbackEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/asset-list/{account}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the assets of an account
         * @description `assets` is repeated, at most 50 times; without it the response lists the coins and tokens that this deployment watches and the account holds. One item per asset, in the order asked: `balance` in whole tokens, or the number of NFTs with at most 100 `tokens`, which are absent when their ids cannot be known. An asset that can never be read has `errors` instead. When a node does not answer, the status is 503 with Retry-After; with the header `Prefer: handling=lenient` it is 200 with `errors`.
         *
         *     For client applications with the scope `token-gating`.
         */
        get: operations["AssetOwnershipController.getAssets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/asset-ownership/{account}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check which of these assets an account owns
         * @description `assets` is repeated, 1 to 50 times. The account owns an asset when it holds any of it; the holdings of all wallets of a user id are summed. Assets that can never be read are left out of `assets` and have an entry in `errors`. When a node does not answer, the status is 503 with Retry-After; with the header `Prefer: handling=lenient` it is 200 with `errors`.
         *
         *     For client applications with the scope `token-gating`.
         */
        get: operations["AssetOwnershipController.getOwnership"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/asset-verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a token that proves what the user owns
         * @description The token is a JWT, or encrypted with `format=ae`; `url` contains a short name for it. Every asset must be held now. The claim is valid for thirty days, while the wallet is linked and until the user revokes it in the portal.
         *
         *     For signed-in users.
         */
        post: operations["AssetOwnershipController.generateJwt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/asset-verification/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify a token
         * @description `token` is a token of `POST /asset-verification` or its slug. `assets` says whether the account owns them now. A claim that expired or was revoked, and one whose wallet is no longer linked, is 404. With `Accept: text/html` the response is a page. When a node does not answer, the status is 503 with Retry-After; with the header `Prefer: handling=lenient` it is 200 with `errors`.
         *
         *     Needs no credential.
         *
         *     The example gets 404: a claim needs a token of its own.
         */
        get: operations["AssetOwnershipController.verifyOwnership"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the chains that rules can be about
         * @description The chains for which this deployment has a node: EVM chains whose nodes it names, EVM chains of public nodes, each by their ids, then the clusters of Solana.
         *
         *     For client applications with the scope `token-gating`, and for pages in browsers with a publishable id.
         */
        get: operations["CatalogueController.listChains"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rule-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the rule types
         * @description Each type with the fields that its rules read. A type is not `available` where this deployment has no node of its chains, or lacks the key of the service that it asks.
         *
         *     For client applications with the scope `token-gating`, and for pages in browsers with a publishable id.
         */
        get: operations["CatalogueController.listRuleTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a contract is
         * @description Name, symbol, decimals and standards of a contract or a mint, as it says them itself, and the rule types that fit. The reads take the share of the tenant, as those of a check.
         *
         *     For client applications with the scope `token-gating`.
         */
        get: operations["CatalogueController.readToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/balance-checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List balance checks, newest first
         * @description The checks of all members that were requested or ran by schedule, each with its state and counts. For administrators and attached client applications.
         *
         *     For client applications and signed-in users with the scope `community:read`.
         */
        get: operations["BalanceCheckController.listBalanceChecks"];
        put?: never;
        /**
         * Check the roles of all members now
         * @description For administrators and attached client applications. Returns the check at once; its progress can be queried. Returns the running check if there is one. Within the cooldown after a requested check it is 429 with Retry-After, and without an approved client application after 5 requested checks of a community in 24 hours, too.
         *
         *     For client applications and signed-in users with the scope `community:write`.
         */
        post: operations["BalanceCheckController.requestBalanceCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/balance-checks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a balance check with its progress
         * @description How many members a check has looked at, out of how many, and whether it has ended. For administrators and attached client applications, who ask again until it has.
         *
         *     For client applications and signed-in users with the scope `community:read`.
         *
         *     The example gets 404: the id of a check is the result of requesting one.
         */
        get: operations["BalanceCheckController.getBalanceCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List public communities, oldest first
         * @description Communities with the visibility `public`, in pages, with their roles and the number of their members. Communities with the visibility `members` or `hidden` are in no list of this operation.
         *
         *     For client applications and signed-in users with the scope `community:read`.
         */
        get: operations["CommunityController.listCommunities"];
        put?: never;
        /**
         * Create a community and become its owner
         * @description The signed-in user becomes owner and administrator, and joins like others to be a member. `visibility` decides who sees the community and whether joining needs an invitation; roles and rules are added afterwards.
         *
         *     For signed-in users with the scope `community:write`.
         */
        post: operations["CommunityController.createCommunity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a community
         * @description The community with its roles and the number of its members. Administrators and attached client applications also see the owner and the invitation link; a community that the caller may not see is 404.
         *
         *     For client applications and signed-in users with the scope `community:read`.
         */
        get: operations["CommunityController.getCommunity"];
        put?: never;
        post?: never;
        /**
         * Delete a community with its members, roles and rules, for its owner
         * @description Removes the community with its members, roles, rules and invitations for good, and nothing brings it back. Its owner alone may.
         *
         *     For signed-in users with the scope `community:write`. A sign-in with a passkey is not enough.
         */
        delete: operations["CommunityController.deleteCommunity"];
        options?: never;
        head?: never;
        /**
         * Change a community, for administrators
         * @description Changes the fields that the body names and keeps all others: name, icon, visibility and the like. Administrators of the community may.
         *
         *     For signed-in users with the scope `community:write`.
         */
        patch: operations["CommunityController.changeCommunity"];
        trace?: never;
    };
    "/communities/{communityId}/owner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Transfer the ownership to an administrator, for the owner
         * @description The named administrator owns the community from now on, and the owner before stays an administrator. The owner alone may, and the new owner must be an administrator already.
         *
         *     For signed-in users with the scope `community:write`. A sign-in with a passkey is not enough.
         */
        put: operations["CommunityController.changeOwner"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/administrators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List administrators, for administrators and attached client applications
         * @description The administrators of a community with the owner among them, for administrators and attached client applications.
         *
         *     For client applications and signed-in users with the scope `community:read`.
         */
        get: operations["CommunityAdministratorController.listAdministrators"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/administrators/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Make a member an administrator, for the owner
         * @description The member may change the community, its roles, rules and members from now on, and everything but what the owner alone may. The owner alone appoints; doing it twice changes nothing.
         *
         *     For signed-in users with the scope `community:write`. A sign-in with a passkey is not enough.
         */
        put: operations["CommunityAdministratorController.addAdministrator"];
        post?: never;
        /**
         * Remove an administrator, for the owner, or step down as one
         * @description The person stays a member and administers nothing any more. The owner removes any other administrator; an administrator may name themselves, which is stepping down.
         *
         *     For signed-in users with the scope `community:write`.
         */
        delete: operations["CommunityAdministratorController.removeAdministrator"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the roles of a community
         * @description The roles that rules of the community can grant, with name and color, for everyone who may see the community. Who has a role is in the list of members.
         *
         *     For client applications and signed-in users with the scope `community:read`.
         */
        get: operations["CommunityRoleController.listRoles"];
        put?: never;
        /**
         * Create a role, for administrators
         * @description A role has no holders until a rule of the community grants it: add such a rule with `replaceRules`. Administrators may.
         *
         *     For signed-in users with the scope `community:write`.
         */
        post: operations["CommunityRoleController.createRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/roles/{roleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a role and revoke it from all members, for administrators
         * @description All members lose the role, and its id cannot be used again until that has ended. Rules that grant it must be removed first. Administrators may.
         *
         *     For signed-in users with the scope `community:write`.
         *
         *     The example gets 409: a rule of the demo community grants the role.
         */
        delete: operations["CommunityRoleController.deleteRole"];
        options?: never;
        head?: never;
        /**
         * Change the name or color of a role, for administrators
         * @description Changes how a role is shown; who has it and by which rules stays as it is. Administrators may.
         *
         *     For signed-in users with the scope `community:write`.
         */
        patch: operations["CommunityRoleController.changeRole"];
        trace?: never;
    };
    "/communities/{communityId}/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the rules that grant the roles, for members, administrators and attached client applications
         * @description The rules as they were written, trees included, each with the role that it grants. For members, administrators and attached client applications.
         *
         *     For client applications and signed-in users with the scope `community:read`.
         */
        get: operations["CommunityRuleController.getRules"];
        /**
         * Replace all rules, for administrators
         * @description The rules are validated like those of check-roles, and must fit the read budget of a user with 25 wallets. They need a client application that is approved for `token-gating`: that of the request, or one that is attached. Without one, where the deployment allows it, a community of at most 100 members has at most 10 rules of the types ERC20, ERC721, ERC1155, NATIVE, SOLANA_FT. All members are checked again soon.
         *
         *     For signed-in users with the scope `community:write`.
         */
        put: operations["CommunityRuleController.replaceRules"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members, for administrators and attached client applications
         * @description Members in pages, oldest first, each with the roles that they have now. For administrators and attached client applications, which see no wallet addresses.
         *
         *     For client applications and signed-in users with the scope `community:read`.
         */
        get: operations["CommunityMemberController.listMembers"];
        put?: never;
        /**
         * Join a community
         * @description The signed-in user becomes a member, and their wallets are checked against the rules. A community with the visibility `members` needs an invitation. Joining twice changes nothing.
         *
         *     For signed-in users with the scope `community:write`.
         */
        post: operations["CommunityMemberController.joinCommunity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/members/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Leave a community
         * @description The signed-in user loses membership and roles, and is no administrator any more. The owner transfers the ownership first.
         *
         *     For signed-in users with the scope `community:write`.
         */
        delete: operations["CommunityMemberController.leaveCommunity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member, for administrators and attached client applications
         * @description Ends their administration too; only the owner removes another administrator. They need a new invitation to return.
         *
         *     For client applications and signed-in users with the scope `community:write`.
         */
        delete: operations["CommunityMemberController.removeMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/platform-users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create users of chat, microblog or codehost, and add them as members
         * @description For attached client applications that act for themselves, without a user: it creates whom it does not know and adds all of them as members. Doing it twice changes nothing.
         *
         *     For client applications with the scope `community:write`.
         */
        put: operations["CommunityMemberController.upsertPlatformUsers"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/client-applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List attached client applications, for administrators
         * @description The client applications that may see the community and its members, with the callback URLs of those that have one. Administrators may.
         *
         *     For client applications and signed-in users with the scope `community:read`.
         */
        get: operations["CommunityClientController.listClients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/client-applications/{clientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Attach a client application or change its callback URL, for administrators
         * @description The application may see the community and its members, and add users of chat, microblog and codehost. Changed roles of members are sent to `callbackUrl`, once its receiver has answered a challenge. Administrators may.
         *
         *     For signed-in users with the scope `community:write`. A sign-in with a passkey is not enough.
         */
        put: operations["CommunityClientController.attachClient"];
        post?: never;
        /**
         * Detach a client application, for administrators
         * @description The application sees the community no more, and no role callbacks are sent to it. Administrators may.
         *
         *     For signed-in users with the scope `community:write`.
         */
        delete: operations["CommunityClientController.detachClient"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an invitation link and revoke all earlier ones, for administrators
         * @description Answers with a link that lets whoever has it join a community with the visibility `members`. Links that were given out before lead nowhere from now on. Administrators may.
         *
         *     For signed-in users with the scope `community:write`.
         *
         *     The example gets 409: the demo community is public.
         */
        post: operations["CommunityInvitationController.renewInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/invitations/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview the community of an invitation; needs only the code
         * @description Shows name, picture and number of members of a community to whoever has an invitation, before they sign in and join. A code that was revoked is 404. With `Accept: text/html` the response is 303 to the page on which people join.
         *
         *     Needs no credential.
         *
         *     The example gets 404: the demo community is public, so it has no invitations.
         */
        get: operations["CommunityInvitationController.getInvitation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/interactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Report what members did, for analytics
         * @description For attached client applications that act for themselves, without a user. Idempotent by the id of each interaction for 8 days.
         *
         *     For client applications with the scope `community:write`.
         */
        put: operations["CommunityInteractionController.reportInteractions"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/administrated-communities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List communities that the user administers
         * @description The communities whose owner or administrator the signed-in user is. Without a limit, one page contains up to 1000 communities.
         *
         *     For signed-in users with the scope `user:community:read`.
         */
        get: operations["AccountController.getAdministratedCommunities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/communities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List communities that the user has joined
         * @description The communities whose member the signed-in user is. Without a limit, one page contains up to 1000 communities.
         *
         *     For signed-in users with the scope `user:community:read`.
         */
        get: operations["AccountController.getUserCommunities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-applications/{clientId}/published-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the rules that browsers may have checked by name
         * @description The rules as they were written, for the client application itself, by its API key.
         *
         *     For client applications with the scope `token-gating`.
         */
        get: operations["PublishedRuleController.getPublishedRules"];
        /**
         * Replace the rules that browsers may have checked by name
         * @description Each rule is an entry of `rules` of check-roles, with a name; together they must fit one check. For the client application itself, by its API key. The rules count from the next check on. Pages name them with a publishable id, which shows their names to everybody, but not what is in them.
         *
         *     For client applications with the scope `token-gating`.
         */
        put: operations["PublishedRuleController.replacePublishedRules"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access-control/check-published-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check which roles published rules grant to an address
         * @description Answers as check-roles does, at once, for rules that the application has published and that the body names, and for one plain address. Anybody can name any address: a page may show what the answer says, and a server decides again. `Prefer` is ignored.
         *
         *     For client applications with the scope `token-gating`, and for pages in browsers with a publishable id.
         */
        post: operations["PublishedRuleController.checkPublishedRules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwt-vc-issuer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The issuer of verifiable credentials and its keys
         * @description The public keys that sign verifiable credentials of this service, as verifiers of SD-JWT VC look them up.
         *
         *     Needs no credential.
         */
        get: operations["CredentialIssuerController.getIssuer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/credential-types/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The metadata of a type of verifiable credentials
         * @description What a type of credential says: its name and its claims with labels, and which of them can be withheld. Wallets and verifiers look it up by the `vct` of a credential.
         *
         *     Needs no credential.
         */
        get: operations["CredentialIssuerController.getType"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/credential-status-lists/{list}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A status list of verifiable credentials
         * @description A signed Token Status List, which says for each credential of the list whether it was revoked. Verifiers look it up by the address in a credential; it is published every five minutes.
         *
         *     Needs no credential.
         */
        get: operations["CredentialIssuerController.getStatusList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/verifiable-credentials/nonces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a nonce for a proof of possession
         * @description The first step of issuing: the key that will hold the credential signs a JWT with this nonce. Valid for five minutes and one credential.
         *
         *     For signed-in users with the scope `user:verifiable-credential:write`.
         */
        post: operations["VerifiableCredentialController.createNonce"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/verifiable-credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the user's verifiable credentials
         * @description The credentials of the signed-in user that have not expired, with what they say and whether they were revoked, newest first.
         *
         *     For signed-in users with the scope `user:verifiable-credential:read`.
         */
        get: operations["VerifiableCredentialController.listCredentials"];
        put?: never;
        /**
         * Issue a verifiable credential
         * @description An SD-JWT VC about what holds now, bound to `jwk`. `proof` is a JWT that this key signed. The account and each asset can be withheld when the credential is presented. A credential about a community is revoked when the membership or the role ends. At most 200 a user are issued on a UTC day, and for an application as many as it leaves: 100 where it is the only one.
         *
         *     For signed-in users with the scope `user:verifiable-credential:write`.
         *
         *     The example gets 400: a proof needs a nonce of its own.
         */
        post: operations["VerifiableCredentialController.issueCredential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/verifiable-credentials/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a verifiable credential of the user
         * @description What one credential of the signed-in user says, whether it is public, and whether it was revoked. The credential itself is shown once, when it is issued.
         *
         *     For signed-in users with the scope `user:verifiable-credential:read`.
         */
        get: operations["VerifiableCredentialController.getCredential"];
        put?: never;
        post?: never;
        /**
         * Revoke a verifiable credential of the user
         * @description One that the calling application asked for. Verifications see it at once, and status lists within five minutes. It cannot be undone.
         *
         *     For signed-in users with the scope `user:verifiable-credential:write`.
         */
        delete: operations["VerifiableCredentialController.revokeCredential"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verifiable-credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the public verifiable credentials of an account
         * @description The newest 100 credentials that the user of an account made public: what they say, never the credentials themselves.
         *
         *     For client applications and signed-in users with the scope `verifiable-credential:read`.
         */
        get: operations["VerifiableCredentialController.listPublicCredentials"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verifiable-credentials/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a public verifiable credential
         * @description What a credential says that its user made public. It is 404 when it was revoked, has expired or is private.
         *
         *     For client applications and signed-in users with the scope `verifiable-credential:read`.
         */
        get: operations["VerifiableCredentialController.getPublicCredential"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verifiable-credentials/verifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a verifiable credential of this issuer
         * @description Whether a credential is genuine, in force and held by whoever presents it. With `nonce` and `audience` the key-binding JWT must name both, and be at most five minutes old. A credential about assets that were sold stays valid as issued: `status` is then `outdated`. When a node does not answer, the status is 503.
         *
         *     Needs no credential.
         */
        post: operations["VerifiableCredentialController.verifyCredential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The user's client applications
         * @description Every application that the signed-in user has registered, with its state of approval. Secrets and keys are never in the answer.
         *
         *     For signed-in users with the scope `user:client-application:write`.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        get: operations["ClientApplicationController.listApplications"];
        put?: never;
        /**
         * Register a client application
         * @description Answers with the client id, the client secret and the first API key, which are shown this once. Scopes that need approval work after an operator has approved them.
         *
         *     For signed-in users with the scope `user:client-application:write`. A sign-in with a passkey is not enough.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        post: operations["ClientApplicationController.createApplication"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-applications/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The limits of the user's plan, their usage, and recent refusals
         * @description What the plan of the signed-in user allows a second and a month, how much of it was used, and the newest requests that were refused with their reasons.
         *
         *     For signed-in users with the scope `user:client-application:write`.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        get: operations["ClientApplicationController.getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-applications/{clientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One client application
         * @description One application of the signed-in user with its redirect URIs, scopes and state of approval. Applications of others are 404.
         *
         *     For signed-in users with the scope `user:client-application:write`.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        get: operations["ClientApplicationController.getApplication"];
        put?: never;
        post?: never;
        /**
         * Delete a client application, with its keys, secrets and tokens
         * @description Keys, secrets and tokens of the application end at once, and it can sign nobody in. It cannot be undone.
         *
         *     For signed-in users with the scope `user:client-application:write`. A sign-in with a passkey is not enough.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        delete: operations["ClientApplicationController.deleteApplication"];
        options?: never;
        head?: never;
        /**
         * Change a client application
         * @description Changes the fields that the body names. Values that people see or that need approval, such as name and redirect URIs, wait for an operator, and the approved ones stay in force meanwhile.
         *
         *     For signed-in users with the scope `user:client-application:write`. A sign-in with a passkey is not enough.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        patch: operations["ClientApplicationController.changeApplication"];
        trace?: never;
    };
    "/client-applications/{clientId}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the client secret
         * @description Answers with a new secret, which is shown this once; the one before stays valid for `overlapSeconds`. At most two secrets are valid: rotating again revokes the oldest at once, or with `lost` the one that nobody has.
         *
         *     For signed-in users with the scope `user:client-application:write`. A sign-in with a passkey is not enough.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        post: operations["ClientApplicationController.rotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-applications/{clientId}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The active API keys of a client application
         * @description The keys that are valid now, by id and with the end of their text, so that one can be told from another. A key itself is shown once, when it is created.
         *
         *     For signed-in users with the scope `user:client-application:write`.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        get: operations["ClientApplicationController.listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Answers with a new key, which is shown this once. Other keys of the application stay valid. Without a body the key has all scopes of the application and no end.
         *
         *     For signed-in users with the scope `user:client-application:write`. A sign-in with a passkey is not enough.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        post: operations["ClientApplicationController.createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-applications/{clientId}/api-keys/{keyId}/rotations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace an API key
         * @description Answers with a new key, which is shown this once and has the name, the scopes and the lifetime of the old one; the old key stays valid for `overlapSeconds`. Until it expires, both count as one.
         *
         *     For signed-in users with the scope `user:client-application:write`. A sign-in with a passkey is not enough.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        post: operations["ClientApplicationController.rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-applications/{clientId}/api-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Requests with the key are refused within seconds, and it cannot be undone. To replace a key without a gap, rotate it.
         *
         *     For signed-in users with the scope `user:client-application:write`. A sign-in with a passkey is not enough.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        delete: operations["ClientApplicationController.revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-applications/{clientId}/publishable-ids": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The publishable ids of a client application
         * @description The ids that work now, with their origins, the oldest first. An application has none until one is created.
         *
         *     For signed-in users with the scope `user:client-application:write`.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        get: operations["PublishableIdController.listPublishableIds"];
        put?: never;
        /**
         * Create a publishable id for pages in browsers
         * @description A publishable id may stand in a page. In `X-API-Key`, from the origins of its list, it has published rules checked, and lists chains and rule types; every other operation refuses it. Browsers have half of the second and the month of the plan, beside those of the API keys, and five requests a second and address.
         *
         *     For signed-in users with the scope `user:client-application:write`. A sign-in with a passkey is not enough.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        post: operations["PublishableIdController.createPublishableId"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client-applications/{clientId}/publishable-ids/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a publishable id
         * @description Requests with the id are refused within seconds, and it cannot be undone. API keys go on working.
         *
         *     For signed-in users with the scope `user:client-application:write`. A sign-in with a passkey is not enough.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        delete: operations["PublishableIdController.revokePublishableId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The JSON Web Key Set
         * @description The public keys that verify access tokens, id tokens and callbacks of this service (RFC 7517). Look a key up again when a token names one that is not in your copy.
         *
         *     Needs no credential.
         */
        get: operations["JwksController.getJwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/client-applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Client applications that wait for approval
         * @description Each with its owner, its values as they were last changed, and the scopes that need a decision.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        get: operations["OperatorController.listPendingApplications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/client-applications/{clientId}/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve all or some of the scopes that a client application waits for
         * @description Approved scopes and values are in force from then on, and its owner reads the decision in the portal. The body names the revision that the operator looked at.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        post: operations["OperatorController.approveApplication"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/client-applications/{clientId}/rejections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject a client application
         * @description The application goes on with what was approved before, and its owner reads the reason. The body names the revision that the operator looked at.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        post: operations["OperatorController.rejectApplication"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/plan-holders/{ownerId}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the plan of a tenant
         * @description The limits of the plan apply to all applications of the tenant within seconds. What a tenant has stays when a plan gets smaller.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        put: operations["OperatorController.setPlan"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/users/{userId}/erasure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase the person behind a user
         * @description Ends the sessions, tokens and consents of a user and removes what is stored about the person in every app. It cannot be undone.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        post: operations["OperatorController.eraseUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/usernames/{username}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Give a username to a user, and take it from whoever has it
         * @description For names that are reserved or were used before. Whoever had it is left without a username and chooses another one.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        put: operations["OperatorController.giveUsername"];
        post?: never;
        /**
         * Take a username from whoever has or had it, so that anybody can choose it
         * @description Nobody has the name afterwards, and it does not count as used.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        delete: operations["OperatorController.freeUsername"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/communities/{communityId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A community, and whether it is suspended
         * @description Any community, whatever its visibility, with the reason of its suspension if it is suspended.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        get: operations["OperatorController.getCommunity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/communities/{communityId}/suspension": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Suspend a community
         * @description It is 404 for members and strangers from now on, nobody joins, and no roles are granted; administrators and attached client applications go on reading it, without the reason.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        put: operations["OperatorController.suspendCommunity"];
        post?: never;
        /**
         * Resume a suspended community: the roles of all members are checked
         * @description The community is seen again as before, and the roles of all members are checked soon.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        delete: operations["OperatorController.resumeCommunity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/audit-records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The newest 100 audit records
         * @description What operators and applications' owners did, newest first; `target` chooses the records about one client application or tenant.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        get: operations["OperatorController.listAuditRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ethereum-login/challenges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A message to sign in with
         * @description The first step of Sign-in with Ethereum on a page of your own: the wallet signs the message of the answer (EIP-4361), which is valid once and for minutes. The origin must be one of the application's.
         *
         *     For client applications, with an API key.
         */
        post: operations["EthereumLoginController.getChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ethereum-login/id-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An id token for a signed challenge
         * @description The second step: the message and its signature against an id token, which `Authorization: AE <token>` carries from then on. The user is created at the first sign-in.
         *
         *     For client applications, with an API key.
         *
         *     The example gets 401: a challenge is valid once, so its signature cannot stand in an example.
         */
        post: operations["EthereumLoginController.loginBySiwe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ethereum-login/credentials/revocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke an Ethereum credential
         * @description The credential is refused from then on, wherever it is kept. The user must have signed it, else 404; the request may be authenticated with the same credential.
         *
         *     For signed-in users.
         *
         *     The example gets 404: the credential is made up.
         */
        post: operations["EthereumCredentialController.revokeCredential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/auth-message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Create a message whose signature proves a wallet
         * @description The first step of linking a wallet: the wallet signs the message, and `addWalletAddress` takes the signature. Valid for one attempt: of a key within ten minutes, of a contract account within an hour.
         *
         *     For signed-in users.
         *
         *     Further query parameters: `address`: the wallet, plain or CAIP-10: the message is then one that its owner signs in the wallet (EIP-4361); `unlinkOthers`: beside `address`, `true` also ends other users' links to the wallet.
         */
        get: operations["AccountController.getAuthChallenge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/linked-users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Users that share at least one Ethereum address with the user
         * @description User ids only, at most 1000. A contract wallet counts as shared only between users that linked it on the same chain.
         *
         *     For signed-in users with the scope `user:read`.
         */
        get: operations["AccountController.findLinkedUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The user's profile
         * @description Who the user is. `address` needs no scope. `username`, `name` and `picture` need `user:read`. Match users by `id`: everything
         *     else may change, and two users may have the same name.
         *
         *     For signed-in users.
         */
        get: operations["AccountController.getUserProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the user's name and picture
         * @description Sets the fields that the body names; null removes one. Returns the profile, with the names and the picture only if the token has `user:read`, too. An Ethereum credential never carries `user:write`.
         *
         *     For signed-in users with the scope `user:write`.
         */
        patch: operations["AccountController.changeUserProfile"];
        trace?: never;
    };
    "/account/wallet-address": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a wallet
         * @description Links a wallet whose owner has signed. `message` is the exact text that `GET /account/auth-message` returned to this user, and `signedMessage` its
         *     signature by the wallet. The first attempt uses the message up, also when it fails: 400 `signature_invalid` or `challenge_invalid`.
         *     When a contract wallet could not be checked (503, 429, and 400 `contract_wallet_not_supported`) the message stays valid until it
         *     expires. Linking a wallet again succeeds and changes nothing. Balances that are not known within two seconds are omitted.
         *
         *     For signed-in users with the scope `user:wallet:write`. A sign-in with a passkey is not enough.
         *
         *     The example gets 400: a message is valid once, so its signature cannot stand in an example.
         */
        post: operations["AccountController.addWalletAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/wallets/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a wallet
         * @description Unlinks one wallet from the user. `address` may be a CAIP-10 id. An address removes every wallet at it, including contract wallets on several chains. 404
         *     `wallet_not_found` when the user has no such wallet. Roles that depend on it are checked again. Sessions stay: tokens and credentials of the wallet are valid until they expire
         *     or are revoked. The next sign-in with the wallet links it again.
         *
         *     For signed-in users with the scope `user:wallet:write`. A sign-in with a passkey is not enough.
         */
        delete: operations["AccountController.deleteWallet"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The user's wallets
         * @description The wallets that the user has linked, in pages, each with its address, its chain as CAIP-10 and the time of linking.
         *
         *     For signed-in users with the scope `user:wallet:read`.
         */
        get: operations["AccountController.getWallets"];
        put?: never;
        post?: never;
        /**
         * Remove all wallets
         * @description Removes every wallet that is linked to the user. Roles that depend on it are checked again. Sessions stay: tokens and credentials of the wallet are valid until they expire
         *     or are revoked. The next sign-in with the wallet links it again.
         *
         *     For signed-in users with the scope `user:wallet:write`. A sign-in with a passkey is not enough.
         */
        delete: operations["AccountController.deleteWallets"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/openid-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The OpenID configuration document
         * @description Where the endpoints of OpenID Connect are and what they support (OpenID Connect Discovery 1.0). Client libraries need no more than its address.
         *
         *     Needs no credential.
         */
        get: operations["OAuth2Controller.getOpenIdConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start the login of a user
         * @description Send the browser here. The user signs in and agrees, and the browser returns to `redirect_uri` with a code; public applications must use PKCE. A scripted request is of no use: the answer is a page or a redirect.
         *
         *     Needs no credential.
         */
        get: operations["OAuth2Controller.authorize"];
        put?: never;
        /**
         * Start the login of a user (by POST)
         * @description For client libraries that send the authorization request as a form (OpenID Connect Core 1.0 section 3.1.2.1). Redirects to the same request by GET. At most 8 KiB.
         *
         *     Needs no credential.
         */
        post: operations["AuthorizationController.authorizeByForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange an authorization code for an access token
         * @description Takes the code that came to `redirect_uri`, and the verifier of PKCE; a code is valid once. The client application authenticates with HTTP Basic or in the body.
         *
         *     Needs no credential.
         *
         *     The example gets 401: a client secret cannot stand in an example.
         */
        post: operations["OAuth2Controller.token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Introspect a token
         * @description Whether a token is active, and its user, application and scopes if it is (RFC 7662). The client application authenticates with HTTP Basic or in the body.
         *
         *     Needs no credential.
         *
         *     The example gets 401: a client secret cannot stand in an example.
         */
        post: operations["OAuth2Controller.introspect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a token
         * @description The token is refused from then on; an unknown token is no error (RFC 7009). The client application authenticates with HTTP Basic or in the body.
         *
         *     Needs no credential.
         *
         *     The example gets 401: a client secret cannot stand in an example.
         */
        post: operations["OAuth2Controller.revoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/userinfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Claims about the user
         * @description The id of the user as `sub`, with the names and the picture if the token has `user:read` and the wallets if it has `user:wallet:read` (OpenID Connect Core 1.0 section 5.3).
         *
         *     For signed-in users with the scope `openid`.
         */
        get: operations["OAuth2Controller.userinfo"];
        put?: never;
        /**
         * Claims about the user (by POST)
         * @description The same claims as by GET, for client libraries that ask by POST (OpenID Connect Core 1.0 section 5.3.1). The token stands in `Authorization`, not in the body.
         *
         *     For signed-in users with the scope `openid`.
         */
        post: operations["UserInfoController.postUserInfo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The metadata of the authorization server (RFC 8414)
         * @description Where the endpoints of OAuth 2.0 are and what they support, for clients that do not know OpenID Connect.
         *
         *     Needs no credential.
         */
        get: operations["OAuthMetadataController.getAuthorizationServer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-protected-resource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The metadata of this API as a protected resource (RFC 9728)
         * @description Names the authorization server, the scopes and the keys of this API. `WWW-Authenticate` of a 401 names its address as `resource_metadata`.
         *
         *     Needs no credential.
         */
        get: operations["OAuthMetadataController.getProtectedResource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/authorize/{uid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Resume an authorization request after login or consent
         * @description Pages of this service send the browser here after login and consent; client applications need not know it. It works only in the browser that began the request.
         *
         *     Needs no credential.
         *
         *     The example gets 400: a request can be resumed only in the browser that began it.
         */
        get: operations["AuthorizationController.resume"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask the user to sign out
         * @description Redirects to a page that asks the user. It ends the session of this browser, and no grant. The browser returns to `post_logout_redirect_uri` with `state` if the application, named by `client_id` or an id token, has registered it byte for byte.
         *
         *     Needs no credential.
         */
        get: operations["OAuthLogoutController.logout"];
        put?: never;
        /**
         * Ask the user to sign out (by POST)
         * @description For client libraries that send a form. Redirects to a page that asks the user. It ends the session of this browser, and no grant. The browser returns to `post_logout_redirect_uri` with `state` if the application, named by `client_id` or an id token, has registered it byte for byte.
         *
         *     Needs no credential.
         */
        post: operations["OAuthLogoutController.logoutByForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/platform-users/{platformUserId}/wallet-challenges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a message whose signature links a wallet to a user of chat, microblog or codehost
         * @description Valid for one attempt: of a key within ten minutes, of a contract account until `expiresAt`. The user can sign it on the page at `url`.
         *
         *     For client applications with the scope `community:write`.
         */
        post: operations["PlatformWalletController.createChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/platform-users/{platformUserId}/wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the wallets of a user of chat, microblog or codehost in this community
         * @description The wallets that were linked for this community, for attached client applications. Ids only, unless the application is approved for `user:wallet:read`.
         *
         *     For client applications with the scope `community:read`.
         */
        get: operations["PlatformWalletController.listWallets"];
        put?: never;
        /**
         * Link a wallet to a user of chat, microblog or codehost
         * @description Takes the signature of the challenge, for applications whose users sign elsewhere than on the page at `url`. What the wallet holds counts in this community only.
         *
         *     For client applications with the scope `community:write`.
         *
         *     The example gets 400: a challenge is valid once, so its signature cannot stand in an example.
         */
        post: operations["PlatformWalletController.linkWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/communities/{communityId}/platform-users/{platformUserId}/wallets/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a wallet of a user of chat, microblog or codehost from this community
         * @description The wallet counts in this community no more, and the roles of the user are checked again. The user can do the same on the page where they linked it.
         *
         *     For client applications with the scope `community:write`.
         */
        delete: operations["PlatformWalletController.removeWallet"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/webauthn-credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The user's passkeys
         * @description The passkeys that sign the user in, with their names, oldest first, at most ten. Keys are never shown.
         *
         *     For signed-in users with the scope `user:webauthn-credential:read`.
         */
        get: operations["PasskeyController.getPasskeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/webauthn-credentials/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a passkey
         * @description It signs nobody in any more, and the browser sessions that it signed in end at once. Other passkeys and wallets stay.
         *
         *     For signed-in users with the scope `user:webauthn-credential:write`. A sign-in with a passkey is not enough.
         *
         *     The example gets 404: the user of the example has no passkey.
         */
        delete: operations["PasskeyController.deletePasskey"];
        options?: never;
        head?: never;
        /**
         * Rename a passkey
         * @description Changes the name by which the user tells one passkey from another; signing in works as before.
         *
         *     For signed-in users with the scope `user:webauthn-credential:write`. A sign-in with a passkey is not enough.
         *
         *     The example gets 404: the user of the example has no passkey.
         */
        patch: operations["PasskeyController.renamePasskey"];
        trace?: never;
    };
    "/accountkit/v1/chatbot/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the bot's smart accounts
         * @description The accounts of the bot whose token is in `X-BOT-TOKEN`: its addresses on the EVM chains and on Solana. They can be paid to before anything of them is on chain.
         *
         *     For client applications with the scope `accountkit`.
         */
        get: operations["AccountKitController.getAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v1/chatbot/evm/mint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mint a fungible token
         * @description Creates a token with the name and symbol of the body from the bot's smart account, for `recipient`. Returns at once after signing. Without the header `Idempotency-Key` every request is a new operation. Operations of an account run in the order of their acceptance; the header `X-Nonce-Key` (decimal) opens further lanes. With `dryRun: true` in the body nothing is stored, signed or sent: the answer tells what the submission would cost, or why it would be refused, and `account_not_found` before the addresses of the account were read once.
         *
         *     For client applications with the scope `accountkit`.
         */
        post: operations["AccountKitController.mint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v1/chatbot/evm/submitUserOperation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a user operation from the bot's smart account
         * @description One call of a contract or payment by the account of the bot whose token is in `X-BOT-TOKEN`. Returns at once after signing. Without the header `Idempotency-Key` every request is a new operation. Operations of an account run in the order of their acceptance; the header `X-Nonce-Key` (decimal) opens further lanes. With `dryRun: true` in the body nothing is stored, signed or sent: the answer tells what the submission would cost, or why it would be refused, and `account_not_found` before the addresses of the account were read once.
         *
         *     For client applications with the scope `accountkit`.
         */
        post: operations["AccountKitController.submitUserOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v1/chatbot/evm/userOperationReceipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the receipt of a user operation
         * @description Whether a user operation was included, with the receipt of its transaction. Waits for inclusion for up to 10 seconds; the header `Prefer: wait=N` (0 to 25) changes that. An operation that failed before it was included has `success: false`, `reason` and no receipt.
         *
         *     For client applications with the scope `accountkit`.
         *
         *     Further query parameters: `platform`: the platform of the token in `X-ACCESS-TOKEN`, which may stand for `X-BOT-TOKEN`.
         */
        get: operations["AccountKitController.getUserOperationReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v1/chatbot/executeCustomActionUsingKeypair": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a custom action with the bot's key pair
         * @description Runs a script that is on the list of the client application. Its `sign` uses a key of its own, which owns no account. The chain must be one of the deployment.
         *
         *     For client applications with the scope `accountkit`.
         *
         *     The example gets 404: the demo client application has no action.
         */
        post: operations["AccountKitController.executeCustomAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v1/chatbot/solana/submitTransaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a Solana transaction from the bot's account
         * @description For the account of the bot whose token is in `X-BOT-TOKEN`. Signs the transaction as it is, without a new blockhash, and returns at once; it is sent again until it is final or has expired. The account pays the fee, or the sponsor of the network (`listSolanaSponsors`) if the transaction names it as fee payer. The same transaction again gets the same answer. With `dryRun: true` in the body nothing is stored, signed or sent: the answer tells what the submission would cost, or why it would be refused, and `account_not_found` before the addresses of the account were read once.
         *
         *     For client applications with the scope `accountkit`.
         */
        post: operations["AccountKitController.submitSolanaTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v1/chatbot/solana/transactionResponse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the status of a Solana transaction
         * @description Whether a transaction was confirmed or has expired. Takes the signature in base58 or base64. Waits for confirmation for up to 10 seconds; the header `Prefer: wait=N` (0 to 25) changes that. The response is what a node answers to `getTransaction`.
         *
         *     For client applications with the scope `accountkit`.
         *
         *     Further query parameters: `platform`: the platform of the token in `X-ACCESS-TOKEN`, which may stand for `X-BOT-TOKEN`.
         */
        get: operations["AccountKitController.getSolanaTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v2/evm/calculateAccountAddress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compute the smart accounts of a platform's user
         * @description The accounts that a user of a platform has or would have, by platform and user id, without a token of that user: to show an address, or to pay to it.
         *
         *     For client applications with the scope `accountkit`.
         */
        post: operations["AccountKitController.calculateAccountAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v2/platform/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the platform user's smart accounts
         * @description The accounts of the user or bot whose token of the platform is in `X-ACCESS-TOKEN`: their addresses on the EVM chains and on Solana.
         *
         *     For client applications with the scope `accountkit`.
         */
        get: operations["AccountKitController.getPlatformAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v2/platform/evm/submitUserOperation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a batch of user operations from the platform user's smart account
         * @description All calls of the batch run in one transaction or none does, by the account of the user whose token is in `X-ACCESS-TOKEN`. Returns at once after signing. Without the header `Idempotency-Key` every request is a new operation. Operations of an account run in the order of their acceptance; the header `X-Nonce-Key` (decimal) opens further lanes. With `dryRun: true` in the body nothing is stored, signed or sent: the answer tells what the submission would cost, or why it would be refused, and `account_not_found` before the addresses of the account were read once.
         *
         *     For client applications with the scope `accountkit`.
         */
        post: operations["AccountKitController.submitPlatformUserOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v2/platform/solana/submitTransaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a Solana transaction from the platform user's account
         * @description For the account of the user whose token of the platform is in `X-ACCESS-TOKEN`. Signs the transaction as it is, without a new blockhash, and returns at once; it is sent again until it is final or has expired. The account pays the fee, or the sponsor of the network (`listSolanaSponsors`) if the transaction names it as fee payer. The same transaction again gets the same answer. With `dryRun: true` in the body nothing is stored, signed or sent: the answer tells what the submission would cost, or why it would be refused, and `account_not_found` before the addresses of the account were read once.
         *
         *     For client applications with the scope `accountkit`.
         */
        post: operations["AccountKitController.submitPlatformSolanaTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v2/platform/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the user operations of the platform user's smart account
         * @description Each with its state, and with the transaction that included it. Newest first, on all chains, whichever client application has submitted them.
         *
         *     For client applications with the scope `accountkit`.
         */
        get: operations["UserOperationController.listUserOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v2/platform/operations/{hash}/cancellations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a user operation
         * @description Takes the nonce of an operation that is signed, stuck or expired with one that does nothing, so that later operations of its lane can go on. The operation is `rejected` once that is proved; if it was executed first, the cancellation is. The response names the cancellation, whose receipt can be read like others. A client application may ask for 50 a day.
         *
         *     For client applications with the scope `accountkit`.
         *
         *     The example gets 409: the operation of the example is executed already.
         */
        post: operations["UserOperationController.cancelUserOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v2/solana/sponsors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sponsors of Solana transactions
         * @description A transaction that names the sponsor of its network as fee payer costs the account no fee. The sponsor must occur nowhere else in it. Only networks whose sponsor the policy of the client application has are listed.
         *
         *     For client applications with the scope `accountkit`.
         */
        get: operations["SolanaSponsorController.listSolanaSponsors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v2/operator/client-applications/{clientId}/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The policy of a client application
         * @description What the application may submit, as an operator has set it, with the revision that a change names. 404 where `DEFAULT_POLICY` decides.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        get: operations["AccountPolicyController.getPolicy"];
        /**
         * Set the policy of a client application
         * @description Replaces the whole policy, which decides from the next request on. Operations that are signed are sent; a freeze stops those, too.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        put: operations["AccountPolicyController.setPolicy"];
        post?: never;
        /**
         * Remove the policy of a client application
         * @description `DEFAULT_POLICY` of the deployment decides about the application from the next request on.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        delete: operations["AccountPolicyController.removePolicy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v2/operator/freezes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is frozen
         * @description All freezes that are in force, each with its reason and the time of its begin.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        get: operations["AccountFreezeController.listFreezes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accountkit/v2/operator/freezes/{freezeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Freeze an account, a client application, a chain, its sponsor or everything
         * @description When this has answered, nothing of it is signed or sent any more, except transactions that are stored as sent already.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        put: operations["AccountFreezeController.setFreeze"];
        post?: never;
        /**
         * Remove a freeze
         * @description Operations that waited for it are signed and sent. A freeze of something larger that covers the same account goes on.
         *
         *     For operators who signed in at most 15 minutes ago. Every call is audited.
         *
         *     The example gets 403: only the portal may request the scope of this operation.
         */
        delete: operations["AccountFreezeController.removeFreeze"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/{communityId}/role-distribution": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count members by role
         * @description How many members have each role at the end of the range. The body chooses roles, and the names and colors of their rows. Without it all roles are listed. `range` is `24h`, `7d`, `30d` (the default), `90d`, `1y`, `all`, an ISO 8601 duration back from now (`P2W`) or an ISO 8601 interval (`2026-01-01/2026-02-01`) of days of the time zone, or of date-times on a quarter of an hour, with the end excluded. The begin is rounded down and the end up to the edge of a bucket; every bucket has a row. With `Accept: text/csv` the response is a table of the same rows.
         *
         *     For client applications and signed-in users with the scope `community:analytics`.
         *
         *     Further query parameters: `interval`: `hour`, `day`, `week` or `month` (by default `hour` up to 2 days, `day` up to 92 days, `week` up to 2 years); `timeZone`: an IANA time zone (by default `UTC`).
         */
        post: operations["AnalyticsController.getRolesPie"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/{communityId}/roles-added": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count granted and revoked roles over time
         * @description How many members got and lost each role, by time. The body chooses roles, and the names and colors of their rows. Without it all roles are listed. `range` is `24h`, `7d`, `30d` (the default), `90d`, `1y`, `all`, an ISO 8601 duration back from now (`P2W`) or an ISO 8601 interval (`2026-01-01/2026-02-01`) of days of the time zone, or of date-times on a quarter of an hour, with the end excluded. The begin is rounded down and the end up to the edge of a bucket; every bucket has a row. With `Accept: text/csv` the response is a table of the same rows.
         *
         *     For client applications and signed-in users with the scope `community:analytics`.
         *
         *     Further query parameters: `interval`: `hour`, `day`, `week` or `month` (by default `hour` up to 2 days, `day` up to 92 days, `week` up to 2 years); `timeZone`: an IANA time zone (by default `UTC`).
         */
        post: operations["AnalyticsController.getRolesAdded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/{communityId}/user-interactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count member interactions over time
         * @description What members did, and how many of them, by kind and time. `range` is `24h`, `7d`, `30d` (the default), `90d`, `1y`, `all`, an ISO 8601 duration back from now (`P2W`) or an ISO 8601 interval (`2026-01-01/2026-02-01`) of days of the time zone, or of date-times on a quarter of an hour, with the end excluded. The begin is rounded down and the end up to the edge of a bucket; every bucket has a row. With `Accept: text/csv` the response is a table of the same rows. `If-None-Match` is supported.
         *
         *     For client applications and signed-in users with the scope `community:analytics`.
         *
         *     Further query parameters: `interval`: `hour`, `day`, `week` or `month` (by default `hour` up to 2 days, `day` up to 92 days, `week` up to 2 years); `timeZone`: an IANA time zone (by default `UTC`).
         */
        get: operations["AnalyticsController.getLetsGo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/{communityId}/wallet-connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count connected wallets over time
         * @description How many wallets of members were connected and disconnected, and how many there are, by time. `range` is `24h`, `7d`, `30d` (the default), `90d`, `1y`, `all`, an ISO 8601 duration back from now (`P2W`) or an ISO 8601 interval (`2026-01-01/2026-02-01`) of days of the time zone, or of date-times on a quarter of an hour, with the end excluded. The begin is rounded down and the end up to the edge of a bucket; every bucket has a row. With `Accept: text/csv` the response is a table of the same rows. `If-None-Match` is supported.
         *
         *     For client applications and signed-in users with the scope `community:analytics`.
         *
         *     Further query parameters: `interval`: `hour`, `day`, `week` or `month` (by default `hour` up to 2 days, `day` up to 92 days, `week` up to 2 years); `timeZone`: an IANA time zone (by default `UTC`).
         */
        get: operations["AnalyticsController.getWalletConnections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/{communityId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export community events
         * @description What happened in a community, for a data warehouse of your own. In the order in which they were stored, newest last, from a minute ago on. The response has a `cursor` for what follows, also on the last page: a page with fewer events than `limit` is the last one until more arrive.
         *
         *     For client applications and signed-in users with the scope `community:analytics`.
         */
        get: operations["CommunityEventController.listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The body of every answer that is an error. */
        ErrorEnvelope: {
            error: {
                name: string;
                message: string;
                statusCode: number;
                details: {
                    requestId: string;
                    code?: string;
                } & {
                    [key: string]: unknown;
                };
                stack: string;
            };
        };
        /**
         * @description Which roles do these rules grant to this account?
         * @example {
         *       "account": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *       "rules": [
         *         {
         *           "type": "ERC20",
         *           "chainId": 31337,
         *           "contractAddress": "0x004f51B029eBd789c471B2AFaa9c11593d7cb077",
         *           "minToken": "100",
         *           "roleId": "whale"
         *         }
         *       ]
         *     }
         */
        TokenGatingRequest: {
            /** @description Wallet address of the user, CAIP-10 account id, or user id of the platform. A contract wallet that is given by its CAIP-10 id counts on the chain of that id only. */
            account: string;
            rules: (components["schemas"]["TokenGatingRule"] | components["schemas"]["TokenGatingTree"])[];
            /**
             * Format: uri
             * @description The result is posted there; the call answers at once.
             */
            callbackUrl?: string;
            /** @description The call answers at once; the result is polled. */
            async?: boolean;
            /** @description Only with `async` or `callbackUrl`: the result says why, of each rule, to the caller that asked, when polled. Checks that are answered at once take the header `Prefer: explain`. */
            explain?: boolean;
        };
        /** @description Who holds what gets which role. A field that is empty text or null counts as absent. A field that would restrict the rule and is not read by its type is rejected. */
        TokenGatingRule: {
            /**
             * @description Asset standard. May be left out when `asset` says it.
             * @enum {string}
             */
            type?: "NATIVE" | "ERC20" | "ERC721" | "ERC1155" | "SOLANA_FT" | "SOLANA_NFT" | "gnosis" | "staking" | "OPEN_SEA" | "POAP" | "ALLOWLIST" | "CONTRACT_READ";
            /** @description EVM chain id, or the id of a Solana cluster. */
            chainId?: number;
            /** @description Address of the token contract, of the mint, or of the contract that `function` belongs to; `creators`, `collection` or `mint` of a SOLANA_NFT rule. */
            contractAddress?: string;
            /** @description Decimal text in whole tokens, inclusive; "1" when absent. What `function` returns may be negative. */
            minToken?: string;
            /** @description Decimal text in whole tokens, inclusive; no limit when absent. What `function` returns may be negative. */
            maxToken?: string;
            /** @description Role that the rule grants; "001" when absent. */
            roleId?: string;
            /** @description Ids and ranges, such as `1,2,42-69`, or the https URL of a list of them; addresses of a SOLANA_NFT rule. */
            tokenId?: string;
            /** @description CAIP-19 asset id, or evm:<chain>/gnosis:<Safe>, instead of type, chainId, contractAddress and tokenId. */
            asset?: string;
            /** @description The collection of an OPEN_SEA rule, the adapter of a staking rule; else a label. */
            collectionName?: string;
            /** @description The event of a POAP rule. */
            eventId?: string;
            /**
             * @description `gnosis`: the owners of the Safe that `asset` names.
             * @enum {string}
             */
            scheme?: "gnosis";
            /** @description JSONata expression over the metadata of a token; the token counts when the result is `true`. */
            query?: string;
            /** @description Values that `query` reads as variables. */
            variables?: {
                [key: string]: unknown;
            };
            /** @description `true`: counts only tokens whose metadata matches `query`. For ERC721, ERC1155 and SOLANA_NFT. */
            requiresMetadata?: boolean;
            /** @description Addresses and CAIP-10 account ids of an ALLOWLIST rule, at most 1,000. */
            accounts?: string[];
            /** @description The function of a CONTRACT_READ rule in human-readable ABI, `view` or `pure`, of at most 512 characters: `function getHasValidKey(address) view returns (bool)`. */
            function?: string;
            /** @description Arguments of `function` as text, at most 8; `$account` is the address of the wallet. */
            arguments?: string[];
            /** @description What `function` has to return: `true`, `false`, an integer, an address, `$account` or 32 bytes in hex. `true` when it returns bool and this is absent. */
            equals?: string;
            /** @description How many digits of the integer that `function` returns stand behind the decimal point of minToken and maxToken; none when absent. */
            decimals?: number;
            /**
             * @description `delegate.xyz`: where own holdings do not decide, what vaults hold counts too that have delegated themselves to the account. For ERC20, ERC721 and ERC1155.
             * @enum {string}
             */
            delegations?: "delegate.xyz";
            /** @description Vaults that are asked by name where too many delegations hide them, at most 20. Only with `delegations`, and not in rules of communities. */
            vaults?: string[];
            id?: string;
            name?: string;
            description?: string;
            classifierGroup?: string;
            groupId?: string;
            tokenSymbol?: string;
            version?: string | number;
        };
        /** @description Rules that grant a role together: exactly one of `allOf`, `anyOf`, `not` and `atLeast`, of rules and of trees without `roleId`, 8 levels at most. A rule that cannot be read, for whatever reason, makes the tree undetermined only where its result could change that of the tree. */
        TokenGatingTree: {
            /** @description Role that the tree grants; "001" when absent. The conditions within have none. */
            roleId?: string;
            /** @description A list of 1 to 500 conditions, all of which must be satisfied. */
            allOf?: (components["schemas"]["TokenGatingRule"] | components["schemas"]["TokenGatingTree"])[];
            /** @description A list of 1 to 500 conditions, one of which must be satisfied. */
            anyOf?: (components["schemas"]["TokenGatingRule"] | components["schemas"]["TokenGatingTree"])[];
            /** @description A condition that must not be satisfied. A rule that does not apply to the account, because that is of another chain family or does not count on the rule's chain, satisfies neither a condition nor its `not`. */
            not?: components["schemas"]["TokenGatingRule"] | components["schemas"]["TokenGatingTree"];
            /** @description `of` is a list of 1 to 500 conditions, `count` of which must be satisfied. */
            atLeast?: {
                count: number;
                of: (components["schemas"]["TokenGatingRule"] | components["schemas"]["TokenGatingTree"])[];
            };
        };
        /** @description Which roles are granted. */
        TokenGatingResponse: {
            requestId?: string;
            roles?: components["schemas"]["TokenGatingRole"][];
            errors?: components["schemas"]["TokenGatingError"][];
            /** @description One for each rule, in order. Present only where the request asked for it. */
            explanations?: components["schemas"]["TokenGatingExplanation"][];
        };
        /** @description Whether the rules of one role are satisfied. */
        TokenGatingRole: {
            id: string;
            granted: boolean;
        };
        /** @description Why it could not be determined whether a role is granted. */
        TokenGatingError: {
            roleId: string;
            /** @description Index of the rule in the request, or of the entry in the rules of the community. */
            rule: number;
            /** @description The rule within an entry of several rules, such as `allOf.0` or `atLeast.of.1.not`. */
            path?: string;
            name: string;
            message: string;
            /** @description Asking again later may give an answer. */
            retryable: boolean;
        };
        /** @description Why a rule is granted, not granted or undetermined (`Prefer: explain`). */
        TokenGatingExplanation: {
            /** @description Index of the rule in the request, or of the entry in the rules of the community. */
            rule: number;
            /** @description The rule within an entry of several rules, such as `allOf.0` or `anyOf.1.not`. */
            path?: string;
            roleId: string;
            /** @description Whether this rule alone is satisfied; null where it is unknown. */
            granted: boolean | null;
            /**
             * @description - `held_enough`: The account holds as much as the rule asks for.
             *     - `below_minimum`: The account holds less than the rule asks for.
             *     - `above_maximum`: The account holds more than the rule allows.
             *     - `no_token_id`: The account holds none of the tokens that `tokenId` names.
             *     - `listed`: The list has the account.
             *     - `not_listed`: The list does not have the account.
             *     - `value_equal`: The contract returns what the rule asks for.
             *     - `value_different`: The contract returns something else than the rule asks for.
             *     - `metadata_mismatch`: The account holds tokens, but too few whose metadata matches the rule.
             *     - `no_amount_fits`: No amount lies between `minToken` and `maxToken` once both are rounded to the token's decimals.
             *     - `wrong_chain_family`: The account is an address of another chain family than the rule's chain.
             *     - `no_wallet`: The user has no wallet that counts on the rule's chain.
             *     - `contract_of_other_chain`: The account names another chain and is a contract, so that it does not count on the rule's chain.
             *     - `no_contract_on_chain`: The collection has no contract on the rule's chain.
             *     - `read_failed`: What the rule depends on did not answer. Asking again later may help.
             *     - `not_readable`: What the rule names cannot be read as the rule says. Asking again does not help.
             *     - `rule_not_supported`: The contract or this deployment does not support what the rule asks for.
             *     - `vaults_not_read`: The account itself does not hold enough, and too many delegations hide the vaults that may. Outside of communities a check may name them in `vaults`.
             *     - `too_much_to_read`: The account holds more tokens than a rule of this kind can read.
             * @enum {string}
             */
            code: "held_enough" | "below_minimum" | "above_maximum" | "no_token_id" | "listed" | "not_listed" | "value_equal" | "value_different" | "metadata_mismatch" | "no_amount_fits" | "wrong_chain_family" | "no_wallet" | "contract_of_other_chain" | "no_contract_on_chain" | "read_failed" | "not_readable" | "rule_not_supported" | "vaults_not_read" | "too_much_to_read";
            /** @description The blocks, or slots of Solana, that the rule was read at, as far as nodes said them. */
            blocks?: {
                chainId: number;
                number: number;
            }[];
            /** @description `minToken` of the rule. */
            min: string;
            /** @description `maxToken` of the rule; null where it has none. */
            max: string | null;
            /** @description `equals` of the rule, which decides in the place of `min` and `max`. */
            equals?: string;
            /** @description What all wallets hold together. Decimal text in whole tokens. Only for the user's own wallets, an address that the caller named, and callers who may list the user's wallets; absent where reading stopped before the whole amount was known. Of a CONTRACT_READ rule it is what the function returns, which is not summed: `true`, `false`, an integer, an address or 32 bytes in hex. */
            held?: string;
            /**
             * @description What the amounts count: coins of the chain, whole tokens, NFTs, wallets that own the Safe or are listed, or the value that a function returns.
             * @enum {string}
             */
            unit?: "coin" | "token" | "nft" | "wallet" | "value";
            /** @description The addresses that count for the rule. For the same callers as `held`. */
            wallets?: {
                account: string;
                /** @description Decimal text in whole tokens. Only for the user's own wallets, an address that the caller named, and callers who may list the user's wallets; absent where reading stopped before the whole amount was known. Of a CONTRACT_READ rule it is what the function returns, which is not summed: `true`, `false`, an integer, an address or 32 bytes in hex. */
                held?: string;
                /**
                 * @description The address is a vault that has delegated itself to the account.
                 * @enum {boolean}
                 */
                isVault?: true;
            }[];
        };
        /** @description A callback that is sent again, with a new delivery id. */
        Redelivery: {
            requestId: string;
            deliveryId: string;
        };
        RegisteredOperationCallback: {
            callbackUrl: string;
            /** @description Whether the receiver has answered its challenge */
            callbackUrlVerified: boolean;
            /** Format: date-time */
            createdTime: string;
        };
        /**
         * @example {
         *       "callbackUrl": "http://127.0.0.1:3005/"
         *     }
         */
        OperationCallbackRegistration: {
            /**
             * Format: uri
             * @description URL that receives signed callbacks about operations, once it has answered a signed challenge with 200 and `{"challenge": "<the same>"}`
             */
            callbackUrl: string;
        };
        CallbackEndpointList: {
            items: components["schemas"]["CallbackEndpoint"][];
        };
        CallbackEndpoint: {
            id: string;
            url: string;
            events: string[];
            description: string;
            /** Format: date-time */
            createdTime: string;
            /**
             * Format: date-time
             * @description Until then the secret before a rotation signs, too
             */
            previousSecretEnds?: string;
            health: components["schemas"]["CallbackEndpointHealth"];
        };
        CallbackEndpointHealth: {
            /**
             * @description `unverified`: has not answered its challenge; `failing`: the last delivery failed; `disabled`: answered 410 or failed for a day, and needs a new challenge; `suspended`: the application is not approved for what endpoints are about
             * @enum {string}
             */
            state: "unverified" | "working" | "failing" | "disabled" | "suspended";
            verified: boolean;
            /** Format: date-time */
            lastSuccessTime?: string;
            /** Format: date-time */
            lastFailureTime?: string;
            /** @description Why the last attempt that failed did */
            lastFailure?: string;
            /** Format: date-time */
            failingSince?: string;
        };
        /**
         * @example {
         *       "url": "http://127.0.0.1:3005/events",
         *       "events": [
         *         "role.granted",
         *         "role.revoked"
         *       ],
         *       "description": "Bot of the shop"
         *     }
         */
        NewCallbackEndpoint: {
            /**
             * Format: uri
             * @description URL that gets signed events, once it has answered a signed challenge with 200 and `{"challenge": "<the same>"}`
             */
            url: string;
            /** @description The events that the endpoint gets */
            events: ("role.granted" | "role.revoked" | "member.joined" | "member.left" | "member.removed" | "check.completed" | "operation.changed" | "wallet.linked" | "wallet.unlinked" | "application.approved")[];
            /**
             * @description What the endpoint is for, for people
             * @default
             */
            description: "" | string;
        };
        CreatedCallbackEndpoint: {
            id: string;
            url: string;
            events: string[];
            description: string;
            /** Format: date-time */
            createdTime: string;
            /**
             * Format: date-time
             * @description Until then the secret before a rotation signs, too
             */
            previousSecretEnds?: string;
            health: components["schemas"]["CallbackEndpointHealth"];
            /** @description `whsec_…` of Standard Webhooks. It is shown this once only */
            secret: string;
        };
        /**
         * @description What is left out stays. With its own `url` an endpoint that is not verified gets a new challenge.
         * @example {
         *       "description": "Bot of the shop"
         *     }
         */
        CallbackEndpointChange: {
            /**
             * Format: uri
             * @description URL that gets signed events, once it has answered a signed challenge with 200 and `{"challenge": "<the same>"}`
             */
            url?: string;
            /** @description The events that the endpoint gets */
            events?: ("role.granted" | "role.revoked" | "member.joined" | "member.left" | "member.removed" | "check.completed" | "operation.changed" | "wallet.linked" | "wallet.unlinked" | "application.approved")[];
            /** @description What the endpoint is for, for people */
            description?: "" | string;
        };
        CallbackEndpointSecret: {
            /** @description `whsec_…` of Standard Webhooks. It is shown this once only */
            secret: string;
        };
        CallbackEndpointDeliveryId: {
            deliveryId: string;
        };
        CallbackEndpointDeliveryPage: {
            paginationToken?: string;
            items: components["schemas"]["CallbackEndpointDelivery"][];
        };
        CallbackEndpointDelivery: {
            /** @description The `webhook-id` of the delivery */
            id: string;
            /** @description The event, `endpoint.test`, or `endpoint.challenge` */
            type: string;
            /** @enum {string} */
            state: "pending" | "delivered" | "failed";
            /** Format: date-time */
            createdTime: string;
            /**
             * Format: date-time
             * @description Of a pending delivery
             */
            nextAttemptTime?: string;
            /** @description Oldest first */
            attempts: {
                attempt: number;
                /** Format: date-time */
                startedTime: string;
                milliseconds: number;
                status?: number;
                /** @description Why there was no status, or not the right answer */
                failure?: string;
                /** @description The first 1 KiB of what a receiver at a public address answered, for 3 days */
                answer?: string;
            }[];
        };
        /**
         * @example {
         *       "since": "{startedAt}"
         *     }
         */
        CallbackEndpointRecovery: {
            /**
             * Format: date-time
             * @description Failed deliveries that were created since then are sent again
             */
            since: string;
        };
        RecoveredDeliveries: {
            recovered: number;
        };
        /** @description How much of an asset an account holds. */
        AssetListItem: {
            /** @description CAIP-19. */
            asset: string;
            /** @description Decimal text. */
            balance?: string | number;
            /** @description Of NFTs whose ids are known, at most 100. */
            tokens?: components["schemas"]["AssetToken"][];
            /** @description Why the asset could not be read, instead of a balance. */
            errors?: {
                name: string;
                message: string;
                retryable: boolean;
            }[];
        };
        /** @description One token of an asset. */
        AssetToken: {
            /** @description Decimal text. */
            id: string | number;
            /** @description Decimal text. */
            balance: string | number;
            uri?: string;
            metadata?: {
                [key: string]: unknown;
            };
        };
        /** @description Which of the assets the account owns. */
        AssetClaimResponse: {
            assets: {
                asset: string;
                owner: boolean;
            }[];
            /** @description Assets that could not be read and are not in `assets`. */
            errors?: components["schemas"]["AssetError"][];
        };
        /** @description Why an asset could not be read. */
        AssetError: {
            asset: string;
            /** @description Index of the asset in the request. */
            index: number;
            name: string;
            message: string;
            /** @description Asking again later may give an answer. */
            retryable: boolean;
        };
        /**
         * @description What a verification token claims.
         * @example {
         *       "account": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *       "assets": [
         *         "eip155:31337/erc20:0x004f51B029eBd789c471B2AFaa9c11593d7cb077"
         *       ]
         *     }
         */
        AssetVerificationRequest: {
            /** @description One of your linked wallets; the one linked first when absent. */
            account?: string;
            /** @description All are held now; when absent, tokens that this service watches and the account holds. */
            assets?: string[];
            socialId?: string;
            /** Format: uri */
            openseaUrl?: string;
            /** Format: uri */
            mediaUrl?: string;
            /** @description Your own, if present. */
            userId?: string;
            /** @description Accepted for existing clients; not part of the claim. */
            classifier?: string;
            /** @description Accepted for existing clients; not part of the claim. */
            classifierGroup?: string;
        };
        /** @description A token that proves ownership, and the URL that verifies it. */
        AssetVerificationToken: {
            token: string;
            slug: string;
            url: string;
        };
        /** @description What a verification token claims, and what the account owns now. */
        AssetVerificationResponse: {
            /** @description Whether the account owns them now. */
            assets: {
                asset: string;
                owner: boolean;
            }[];
            /** @description Assets that could not be read and are not in `assets`. */
            errors?: components["schemas"]["AssetError"][];
            /** @description Of the token. */
            signature: string;
            claim: {
                userId: string;
                /** @description What the owner is called now: the name, username or ENS name. */
                name?: string;
                socialId?: string;
                /** @description CAIP-10. */
                account: string;
                assets: string[];
                openseaUrl?: string;
                mediaUrl?: string;
                /** Format: date-time */
                createdTime: string;
                /** Format: date-time */
                expiresTime: string;
            } & {
                [key: string]: unknown;
            };
        };
        /** @description The chains that rules can be about. */
        ChainList: {
            chains: {
                chainId: number;
                name: string;
                /** @enum {string} */
                family: "evm" | "solana";
                /** @description CAIP-2. */
                caip2: string;
                /** @description Symbol of the coin, such as ETH. */
                nativeSymbol: string;
                nativeDecimals: number;
            }[];
        };
        /** @description The rule types and the fields that each of them reads. */
        RuleTypeList: {
            ruleTypes: {
                /** @enum {string} */
                type: "NATIVE" | "ERC20" | "ERC721" | "ERC1155" | "SOLANA_FT" | "SOLANA_NFT" | "gnosis" | "staking" | "OPEN_SEA" | "POAP" | "ALLOWLIST" | "CONTRACT_READ";
                /** @description What people hold who fit a rule of the type. */
                summary: string;
                /** @description Families of the chains that a rule may be about; empty where it names none. */
                families: ("evm" | "solana")[];
                /** @description Whether this deployment has what rules of the type need. */
                available: boolean;
                fields: components["schemas"]["RuleTypeField"][];
            }[];
        };
        /** @description A field that rules of the type read. */
        RuleTypeField: {
            name: string;
            required: boolean;
            /** @enum {string} */
            type: "string" | "integer" | "boolean" | "object" | "array";
            /** @description The only values; any when absent. */
            values?: string[];
            description: string;
        };
        /** @description What a contract or a mint says of itself. Nobody has checked it. */
        TokenDetails: {
            chainId: number;
            /** @description With its checksum on EVM chains. */
            contractAddress: string;
            name?: string;
            symbol?: string;
            /** @description Absent for what cannot be split. */
            decimals?: number;
            /** @description Empty where the contract is none of these. */
            standards: ("ERC20" | "ERC721" | "ERC1155" | "Safe" | "SPL")[];
            /** @description The rule types that fit, the likeliest first. */
            ruleTypes: ("NATIVE" | "ERC20" | "ERC721" | "ERC1155" | "SOLANA_FT" | "SOLANA_NFT" | "gnosis" | "staking" | "OPEN_SEA" | "POAP" | "ALLOWLIST" | "CONTRACT_READ")[];
        };
        /** @description A check of all members of a community. It restarts when the rules change meanwhile, which resets `done` and `failed`. */
        BalanceCheck: {
            /** Format: uuid */
            id: string;
            communityId: string;
            /** @enum {string} */
            reason: "scheduled" | "requested";
            /** @enum {string} */
            state: "running" | "done";
            /** @description Members when the check began; users who join later are checked when they join */
            total: number;
            /** @description Members checked so far */
            done: number;
            /** @description Roles granted or revoked */
            changed: number;
            /** @description Members with undetermined roles, which stay unchanged */
            failed: number;
            /** Format: date-time */
            createdTime: string;
            /** Format: date-time */
            finishedTime?: string;
        };
        BalanceCheckPage: {
            paginationToken?: string;
            items: components["schemas"]["BalanceCheck"][];
        };
        CommunityPage: {
            paginationToken?: string;
            items: components["schemas"]["Community"][];
        };
        Community: {
            id: string;
            /** @description Equal to `id` */
            communityId: string;
            name: string;
            /** @enum {string} */
            platform: "ethereum" | "solana" | "chat" | "microblog" | "codehost";
            /**
             * @description Only those who run a suspended community see it
             * @enum {string}
             */
            status: "active" | "suspended";
            /** @enum {string} */
            visibility: "public" | "members" | "hidden";
            /** Format: date-time */
            createdTime: string;
            iconURL?: string;
            serverImage?: string;
            network?: string;
            stats?: {
                memberCount?: number;
            } & {
                [key: string]: unknown;
            };
            roles?: components["schemas"]["CommunityRole"][];
            /** @description Token-gating rules; present for members, and absent in lists */
            tpcs?: components["schemas"]["RoleRule"][];
            /** @description Contracts of the rules whose transfers are not followed for a while: their rules are checked by balance checks only. Present for administrators and attached client applications where there are any, and absent in lists */
            polledContracts?: components["schemas"]["PolledContract"][];
            /** @description Present for administrators and attached client applications */
            ownerId?: string;
            /** @description Present for administrators and attached client applications */
            inviteLink?: string;
        };
        CommunityRole: {
            id: string;
            name: string;
            /** @description RGB with 8 bits per channel */
            color?: number;
        };
        /**
         * @description Which role is granted, and to whom: either the fields of a TokenGatingRule, or one of `allOf`, `anyOf` (each a list of 1 to 50 conditions), `not` (one condition) and `atLeast` (`count` of the conditions in `of`). A condition is a rule without `roleId`, or again one of the four, 8 levels at most. A role is granted when one of its entries is. Members read `accountCount` in the place of `accounts`.
         * @example {
         *       "roleId": "whale",
         *       "allOf": [
         *         {
         *           "type": "NATIVE",
         *           "chainId": 31337,
         *           "minToken": "0.5"
         *         },
         *         {
         *           "not": {
         *             "type": "ERC721",
         *             "chainId": 31337,
         *             "contractAddress": "0xFB40D1Ae33f121c5d89F32824E759Ac134b8eC56"
         *           }
         *         }
         *       ]
         *     }
         */
        RoleRule: {
            roleId: string;
        } & {
            [key: string]: unknown;
        };
        PolledContract: {
            chainId: number;
            contractAddress: string;
            /**
             * @description `too_many_logs`: more than 1,000 transfers a minute; `logs_refused`: the node does not serve those of one block; `too_many_contracts`: more contracts than are followed
             * @enum {string}
             */
            reason: "too_many_contracts" | "too_many_logs" | "logs_refused";
            /**
             * Format: date-time
             * @description When the contract is followed again
             */
            until: string;
        };
        /**
         * @example {
         *       "name": "Book club",
         *       "visibility": "public"
         *     }
         */
        NewCommunity: {
            name: string & (string);
            /**
             * @description The platform of the community; cannot be changed later
             * @default ethereum
             * @enum {string}
             */
            platform: "ethereum" | "solana" | "chat" | "microblog" | "codehost";
            /**
             * @description Visible to everyone, to members, or only to administrators and attached client applications
             * @default members
             * @enum {string}
             */
            visibility: "public" | "members" | "hidden";
            /** Format: uri */
            iconURL?: string;
            /** Format: uri */
            serverImage?: string;
            network?: string;
        };
        /**
         * @description Omitted fields stay unchanged.
         * @example {
         *       "network": "local"
         *     }
         */
        CommunityChange: {
            name?: string & (string);
            /**
             * @description Visible to everyone, to members, or only to administrators and attached client applications
             * @enum {string}
             */
            visibility?: "public" | "members" | "hidden";
            /**
             * Format: uri
             * @description null removes it
             */
            iconURL?: string | null;
            /**
             * Format: uri
             * @description null removes it
             */
            serverImage?: string | null;
            /** @description null removes it */
            network?: string | null;
        };
        /**
         * @example {
         *       "userId": "user_7VkIqevX1qo2K1mIvdlcNo"
         *     }
         */
        NewCommunityOwner: {
            /** @description The user id of an administrator */
            userId: string;
        };
        CommunityAdministratorList: {
            items: {
                userId: string;
                isOwner: boolean;
                /** Format: date-time */
                createdTime: string;
            }[];
        };
        /** @description In the order in which they were created. */
        CommunityRoleList: {
            items: components["schemas"]["CommunityRole"][];
        };
        /**
         * @example {
         *       "name": "Reader",
         *       "color": 1483594
         *     }
         */
        NewCommunityRole: {
            /** @description Generated when omitted */
            id?: string;
            name: string & (string);
            /** @description RGB with 8 bits per channel */
            color?: number;
        };
        /**
         * @description Omitted fields stay unchanged.
         * @example {
         *       "name": "Whale"
         *     }
         */
        CommunityRoleChange: {
            name?: string & (string);
            /** @description null removes it */
            color?: number | null;
        };
        WrittenCommunityRules: {
            rules: components["schemas"]["RoleRule"][];
        };
        /**
         * @description All rules of a community; at most 500, including nested ones.
         * @example {
         *       "rules": [
         *         {
         *           "roleId": "whale",
         *           "type": "ERC20",
         *           "chainId": 31337,
         *           "contractAddress": "0x004f51B029eBd789c471B2AFaa9c11593d7cb077",
         *           "minToken": "100"
         *         },
         *         {
         *           "roleId": "collector",
         *           "anyOf": [
         *             {
         *               "type": "ERC721",
         *               "chainId": 31337,
         *               "contractAddress": "0xFB40D1Ae33f121c5d89F32824E759Ac134b8eC56"
         *             },
         *             {
         *               "type": "ERC1155",
         *               "chainId": 31337,
         *               "contractAddress": "0xc849fa9aFfa47bc0e92C84d7f9FF27167b5AC6ca",
         *               "tokenId": "7"
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        CommunityRules: {
            rules: components["schemas"]["RoleRule"][];
            /** @description The rules as they were read before they were changed. The call replaces no others: 409 where somebody has changed them since. */
            replaces?: components["schemas"]["RoleRule"][];
            /** @description Stands in the place of `replaces` where the rules are large: the SHA-256, in hexadecimal, of their JSON without spaces and with the keys of each object sorted. */
            replacesDigest?: string;
        };
        CommunityMemberPage: {
            paginationToken?: string;
            items: components["schemas"]["CommunityMember"][];
        };
        CommunityMember: {
            userId: string;
            /** @enum {string} */
            platform: "ethereum" | "solana" | "chat" | "microblog" | "codehost";
            /** @description Absent for client applications where it is a wallet address */
            platformUserId?: string;
            /** @description What administrators see: the name that the member chose, else the username, else the ENS name. Client applications see the name that they reported themselves. Absent where there is none */
            name?: string;
            /** Format: date-time */
            joinedTime: string;
            /** @description Ids of the roles that the member holds */
            roles: string[];
        };
        /** @example {} */
        CommunityJoining: {
            /** @description The code at the end of an invitation link; not needed for public communities */
            invitation?: string;
        };
        /**
         * @example {
         *       "users": [
         *         {
         *           "platform": "chat",
         *           "platformUserId": "42",
         *           "name": "Ada"
         *         }
         *       ]
         *     }
         */
        PlatformUserUpsert: {
            users: components["schemas"]["PlatformUser"][];
        };
        PlatformUser: {
            /** @enum {string} */
            platform: "chat" | "microblog" | "codehost";
            platformUserId: string & (string);
            userName?: string;
            username?: string;
            name?: string;
            /** Format: uri */
            picture?: string;
        };
        UpsertedPlatformUsers: {
            /** @description One per user, in order */
            userIds: string[];
        };
        AttachedClientList: {
            items: {
                clientId: string;
                callbackUrl?: string;
                /** @description Whether the receiver has answered its challenge; present with `callbackUrl` */
                callbackUrlVerified?: boolean;
                /** Format: date-time */
                createdTime: string;
            }[];
        };
        /**
         * @example {
         *       "callbackUrl": "http://127.0.0.1:3005/"
         *     }
         */
        ClientAttachment: {
            /**
             * Format: uri
             * @description URL that receives signed callbacks about role changes, once it has answered a signed challenge with 200 and `{"challenge": "<the same>"}`; none are sent when it is omitted
             */
            callbackUrl?: string;
        };
        NewCommunityInvitation: {
            inviteLink: string;
        };
        /** @description What an invited user sees of the community. */
        CommunityInvitation: {
            communityId: string;
            name: string;
            iconURL?: string;
            memberCount: number;
        };
        /**
         * @example {
         *       "interactions": [
         *         {
         *           "id": "post-1",
         *           "platformUserId": "4242",
         *           "kind": "post",
         *           "at": "{startedAt}"
         *         }
         *       ]
         *     }
         */
        InteractionReport: {
            interactions: components["schemas"]["ReportedInteraction"][];
        };
        ReportedInteraction: {
            /** @description The application's own id of it, under which it counts once */
            id: string;
            /** @description A member: a user id, or an id on the user's platform */
            platformUserId: string;
            /** @description The application's own word; reports count all kinds as `reported` */
            kind: string;
            /**
             * Format: date-time
             * @description When it happened, at most 7 days ago
             */
            at: string;
        };
        InteractionResults: {
            /** @description One per interaction, in order. `repeated`: it was accepted before; `conflict`: the id was accepted before with other content, which stays; the last two are not stored, and can be sent again */
            results: {
                id: string;
                /** @enum {string} */
                outcome: "accepted" | "repeated" | "conflict" | "member_not_found" | "member_ambiguous";
            }[];
        };
        WrittenPublishedRules: {
            rules: {
                name: string;
                rule: {
                    [key: string]: unknown;
                };
            }[];
        };
        /**
         * @description All rules that browsers may have checked by name, at most 50. An empty list publishes none.
         * @example {
         *       "rules": [
         *         {
         *           "name": "holders",
         *           "rule": {
         *             "type": "ERC721",
         *             "chainId": 31337,
         *             "contractAddress": "0xFB40D1Ae33f121c5d89F32824E759Ac134b8eC56",
         *             "minToken": "1",
         *             "roleId": "holder"
         *           }
         *         }
         *       ]
         *     }
         */
        PublishedRules: {
            rules: {
                name: string;
                rule?: components["schemas"]["TokenGatingRule"] | components["schemas"]["TokenGatingTree"];
            }[];
        };
        /**
         * @description Which roles do these published rules grant to this account?
         * @example {
         *       "account": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *       "rules": [
         *         "holders"
         *       ]
         *     }
         */
        PublishedRulesCheck: {
            /** @description A plain EVM or Solana address. It counts on every chain of its family. */
            account: string;
            /** @description Names of published rules of the application. */
            rules: string[];
        };
        /** @description JWT VC issuer metadata of SD-JWT VC. */
        CredentialIssuerMetadata: {
            issuer: string;
            jwks: {
                keys: {
                    /** @enum {string} */
                    kty: "EC";
                    /** @enum {string} */
                    crv: "P-256";
                    /** @enum {string} */
                    alg: "ES256";
                    /** @enum {string} */
                    use: "sig";
                    kid: string;
                    x: string;
                    y: string;
                }[];
            };
        };
        /** @description Type metadata of SD-JWT VC. */
        CredentialTypeMetadata: {
            vct: string;
            name: string;
            description: string;
            display: {
                locale: string;
                name: string;
                description: string;
            }[];
            claims: {
                path: (string | null)[];
                display: {
                    locale: string;
                    label: string;
                }[];
                /** @enum {string} */
                sd: "always" | "never";
            }[];
        };
        /** @description A nonce for one proof. */
        CredentialNonce: {
            nonce: string;
            /** Format: date-time */
            expiresTime: string;
        };
        /**
         * @example {
         *       "type": "asset-ownership",
         *       "account": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *       "assets": [
         *         "eip155:31337/erc20:0x004f51B029eBd789c471B2AFaa9c11593d7cb077"
         *       ],
         *       "jwk": {
         *         "kty": "EC",
         *         "crv": "P-256",
         *         "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
         *         "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"
         *       },
         *       "proof": "A JWT with a nonce of POST /account/verifiable-credentials/nonces"
         *     }
         */
        VerifiableCredentialRequest: {
            /** @enum {string} */
            type: "asset-ownership";
            /** @description All are held now. */
            assets: string[];
            /**
             * @description Seconds.
             * @default 86400
             */
            expiresIn: number;
            /** @description One of your linked wallets; the one linked first when absent. */
            account?: string;
            /**
             * @description Whether others may read the claims by id and by account.
             * @default false
             */
            public: boolean;
            jwk: components["schemas"]["HolderKey"];
            /** @description A JWT (`typ: openid4vci-proof+jwt`, ES256) that this key signed, with `aud`, which is the issuer, `iat` and `nonce`. */
            proof: string;
        } | {
            /** @enum {string} */
            type: "community-membership";
            /** @example {communityId} */
            communityId: string;
            /**
             * @description Seconds.
             * @default 2592000
             */
            expiresIn: number;
            /** @description One of your linked wallets; the one linked first when absent. */
            account?: string;
            /**
             * @description Whether others may read the claims by id and by account.
             * @default false
             */
            public: boolean;
            jwk: components["schemas"]["HolderKey"];
            /** @description A JWT (`typ: openid4vci-proof+jwt`, ES256) that this key signed, with `aud`, which is the issuer, `iat` and `nonce`. */
            proof: string;
        } | {
            /** @enum {string} */
            type: "community-role";
            /** @example {communityId} */
            communityId: string;
            /**
             * @description A role that you have now.
             * @example whale
             */
            roleId: string;
            /**
             * @description Seconds.
             * @default 2592000
             */
            expiresIn: number;
            /** @description One of your linked wallets; the one linked first when absent. */
            account?: string;
            /**
             * @description Whether others may read the claims by id and by account.
             * @default false
             */
            public: boolean;
            jwk: components["schemas"]["HolderKey"];
            /** @description A JWT (`typ: openid4vci-proof+jwt`, ES256) that this key signed, with `aud`, which is the issuer, `iat` and `nonce`. */
            proof: string;
        };
        /** @description A public P-256 key as a JSON Web Key. */
        HolderKey: {
            /** @enum {string} */
            kty: "EC";
            /** @enum {string} */
            crv: "P-256";
            x: string;
            y: string;
            d?: unknown;
        };
        IssuedVerifiableCredential: {
            id: string;
            /** @enum {string} */
            type: "asset-ownership" | "community-membership" | "community-role";
            vct: string;
            /** Format: date-time */
            createdTime: string;
            /** Format: date-time */
            expiresTime: string;
            claims: {
                /** @description CAIP-10. */
                account?: string;
                /** @description CAIP-19. */
                assets?: string[];
                /**
                 * Format: date-time
                 * @description When the chain was read.
                 */
                readTime?: string;
                /** @description The oldest block that was read of each chain; without chains whose node named none. */
                blocks?: {
                    /** @description CAIP-2. */
                    chain: string;
                    /** @description Of Solana the slot. */
                    number: number;
                }[];
                communityId?: string;
                /** @description CAIP-10: the account of the owner of a public community when the credential was issued. */
                communityOwner?: string;
                roleId?: string;
            } & {
                [key: string]: unknown;
            };
            public: boolean;
            /** @enum {string} */
            status: "valid" | "revoked";
            /** @description RFC 7638, of the key to which it is bound. */
            thumbprint: string;
            /** @description The SD-JWT VC. It is answered once, and not stored. */
            credential: string;
        };
        VerifiableCredentialList: {
            items: components["schemas"]["VerifiableCredential"][];
        };
        /** @description A credential of the user, without its signed form. */
        VerifiableCredential: {
            id: string;
            /** @enum {string} */
            type: "asset-ownership" | "community-membership" | "community-role";
            vct: string;
            /** Format: date-time */
            createdTime: string;
            /** Format: date-time */
            expiresTime: string;
            claims: {
                /** @description CAIP-10. */
                account?: string;
                /** @description CAIP-19. */
                assets?: string[];
                /**
                 * Format: date-time
                 * @description When the chain was read.
                 */
                readTime?: string;
                /** @description The oldest block that was read of each chain; without chains whose node named none. */
                blocks?: {
                    /** @description CAIP-2. */
                    chain: string;
                    /** @description Of Solana the slot. */
                    number: number;
                }[];
                communityId?: string;
                /** @description CAIP-10: the account of the owner of a public community when the credential was issued. */
                communityOwner?: string;
                roleId?: string;
            } & {
                [key: string]: unknown;
            };
            public: boolean;
            /** @enum {string} */
            status: "valid" | "revoked";
            /** @description RFC 7638, of the key to which it is bound. */
            thumbprint: string;
        };
        PublicVerifiableCredentialList: {
            items: components["schemas"]["PublicVerifiableCredential"][];
        };
        /** @description What a credential says that its user made public. */
        PublicVerifiableCredential: {
            id: string;
            /** @enum {string} */
            type: "asset-ownership" | "community-membership" | "community-role";
            vct: string;
            /** Format: date-time */
            createdTime: string;
            /** Format: date-time */
            expiresTime: string;
            claims: {
                /** @description CAIP-10. */
                account?: string;
                /** @description CAIP-19. */
                assets?: string[];
                /**
                 * Format: date-time
                 * @description When the chain was read.
                 */
                readTime?: string;
                /** @description The oldest block that was read of each chain; without chains whose node named none. */
                blocks?: {
                    /** @description CAIP-2. */
                    chain: string;
                    /** @description Of Solana the slot. */
                    number: number;
                }[];
                communityId?: string;
                /** @description CAIP-10: the account of the owner of a public community when the credential was issued. */
                communityOwner?: string;
                roleId?: string;
            } & {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "credential": "{credential}"
         *     }
         */
        CredentialVerificationRequest: {
            /** @description An SD-JWT VC with the disclosures that its holder chose, and the key-binding JWT if any. */
            credential: string;
            /** @description What the key-binding JWT must name; together with `audience`. */
            nonce?: string;
            /** @description What the key-binding JWT must name; together with `nonce`. */
            audience?: string;
        };
        CredentialVerification: {
            /** @description Signed by this issuer, not expired, not revoked, and bound to the holder if that was asked. */
            valid: boolean;
            /**
             * @description `outdated`: expired, or what it says does not hold now. Absent for what is not a credential of this issuer.
             * @enum {string}
             */
            status?: "valid" | "revoked" | "outdated";
            /** @enum {string} */
            holder: "proven" | "unproven";
            /** @enum {string} */
            reason?: "credential_invalid" | "expired" | "revoked" | "not_held_now" | "holder_unproven";
            /** @enum {string} */
            type?: "asset-ownership" | "community-membership" | "community-role";
            /** @description Those in clear and those that were disclosed. */
            claims?: {
                /** @description CAIP-10. */
                account?: string;
                /** @description CAIP-19. */
                assets?: string[];
                /**
                 * Format: date-time
                 * @description When the chain was read.
                 */
                readTime?: string;
                /** @description The oldest block that was read of each chain; without chains whose node named none. */
                blocks?: {
                    /** @description CAIP-2. */
                    chain: string;
                    /** @description Of Solana the slot. */
                    number: number;
                }[];
                communityId?: string;
                /** @description CAIP-10: the account of the owner of a public community when the credential was issued. */
                communityOwner?: string;
                roleId?: string;
            } & {
                [key: string]: unknown;
            };
        };
        /** @description The result of an asynchronous check. */
        CheckCallback: {
            /** Format: uuid */
            requestId: string;
            clientId: string;
            roles: components["schemas"]["TokenGatingRole"][];
            errors?: components["schemas"]["TokenGatingError"][];
        };
        /** @description The state of a user operation or Solana transaction. */
        OperationCallback: {
            clientId: string;
            account: string;
            /** @enum {string} */
            state: "accepted" | "signed" | "submitted" | "included" | "final" | "reverted" | "rejected" | "expired" | "stuck";
            seq: number;
            /** Format: date-time */
            at: string;
            chainId: number;
            userOpHash: string;
        } | {
            clientId: string;
            account: string;
            /** @enum {string} */
            state: "accepted" | "signed" | "submitted" | "included" | "final" | "reverted" | "rejected" | "expired";
            seq: number;
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            network: "SOL" | "SOL_DEVNET";
            txSignature: string;
        };
        /** @description A receiver answers 200 with the same `challenge` and nothing else. */
        OperationReceiverChallenge: {
            clientId: string;
            /** Format: uuid */
            requestId: string;
            challenge: string;
        };
        /** @description What an endpoint of a client application is told. */
        CallbackEndpointEvent: {
            /** @enum {string} */
            type: "role.granted";
            /**
             * Format: date-time
             * @description When it happened. Deliveries may arrive in another order
             */
            timestamp: string;
            data: {
                clientId: string;
                communityId: string;
                userId: string;
                /**
                 * @description Only with `platformUserId`
                 * @enum {string}
                 */
                platform?: "ethereum" | "solana" | "chat" | "microblog" | "codehost";
                /** @description The member's id on the platform, for client applications that reported it or where it is a number */
                platformUserId?: string;
                roleId: string;
            };
        } | {
            /** @enum {string} */
            type: "role.revoked";
            /**
             * Format: date-time
             * @description When it happened. Deliveries may arrive in another order
             */
            timestamp: string;
            data: {
                clientId: string;
                communityId: string;
                userId: string;
                /**
                 * @description Only with `platformUserId`
                 * @enum {string}
                 */
                platform?: "ethereum" | "solana" | "chat" | "microblog" | "codehost";
                /** @description The member's id on the platform, for client applications that reported it or where it is a number */
                platformUserId?: string;
                roleId: string;
            };
        } | {
            /** @enum {string} */
            type: "member.joined";
            /**
             * Format: date-time
             * @description When it happened. Deliveries may arrive in another order
             */
            timestamp: string;
            data: {
                clientId: string;
                communityId: string;
                userId: string;
                /**
                 * @description Only with `platformUserId`
                 * @enum {string}
                 */
                platform?: "ethereum" | "solana" | "chat" | "microblog" | "codehost";
                /** @description The member's id on the platform, for client applications that reported it or where it is a number */
                platformUserId?: string;
            };
        } | {
            /** @enum {string} */
            type: "member.left";
            /**
             * Format: date-time
             * @description When it happened. Deliveries may arrive in another order
             */
            timestamp: string;
            data: {
                clientId: string;
                communityId: string;
                userId: string;
                /**
                 * @description Only with `platformUserId`
                 * @enum {string}
                 */
                platform?: "ethereum" | "solana" | "chat" | "microblog" | "codehost";
                /** @description The member's id on the platform, for client applications that reported it or where it is a number */
                platformUserId?: string;
            };
        } | {
            /** @enum {string} */
            type: "member.removed";
            /**
             * Format: date-time
             * @description When it happened. Deliveries may arrive in another order
             */
            timestamp: string;
            data: {
                clientId: string;
                communityId: string;
                userId: string;
                /**
                 * @description Only with `platformUserId`
                 * @enum {string}
                 */
                platform?: "ethereum" | "solana" | "chat" | "microblog" | "codehost";
                /** @description The member's id on the platform, for client applications that reported it or where it is a number */
                platformUserId?: string;
            };
        } | {
            /** @enum {string} */
            type: "check.completed";
            /**
             * Format: date-time
             * @description When it happened. Deliveries may arrive in another order
             */
            timestamp: string;
            data: {
                clientId: string;
                /** Format: uuid */
                requestId: string;
                roles: components["schemas"]["TokenGatingRole"][];
                errors?: components["schemas"]["TokenGatingError"][];
            };
        } | {
            /** @enum {string} */
            type: "operation.changed";
            /**
             * Format: date-time
             * @description When it happened. Deliveries may arrive in another order
             */
            timestamp: string;
            data: {
                account: string;
                /** @enum {string} */
                state: "accepted" | "signed" | "submitted" | "included" | "final" | "reverted" | "rejected" | "expired" | "stuck";
                seq: number;
                chainId: number;
                userOpHash: string;
                clientId: string;
            } | {
                account: string;
                /** @enum {string} */
                state: "accepted" | "signed" | "submitted" | "included" | "final" | "reverted" | "rejected" | "expired";
                seq: number;
                /** @enum {string} */
                network: "SOL" | "SOL_DEVNET";
                txSignature: string;
                clientId: string;
            };
        } | {
            /** @enum {string} */
            type: "wallet.linked";
            /**
             * Format: date-time
             * @description When it happened. Deliveries may arrive in another order
             */
            timestamp: string;
            data: {
                clientId: string;
                communityId?: string;
                userId: string;
                /**
                 * @description Only with `platformUserId`
                 * @enum {string}
                 */
                platform?: "ethereum" | "solana" | "chat" | "microblog" | "codehost";
                /** @description The member's id on the platform, for client applications that reported it or where it is a number */
                platformUserId?: string;
                /** @description CAIP-10 */
                accountId: string;
            };
        } | {
            /** @enum {string} */
            type: "wallet.unlinked";
            /**
             * Format: date-time
             * @description When it happened. Deliveries may arrive in another order
             */
            timestamp: string;
            data: {
                clientId: string;
                communityId?: string;
                userId: string;
                /**
                 * @description Only with `platformUserId`
                 * @enum {string}
                 */
                platform?: "ethereum" | "solana" | "chat" | "microblog" | "codehost";
                /** @description The member's id on the platform, for client applications that reported it or where it is a number */
                platformUserId?: string;
                /** @description CAIP-10 */
                accountId: string;
            };
        } | {
            /** @enum {string} */
            type: "application.approved";
            /**
             * Format: date-time
             * @description When it happened. Deliveries may arrive in another order
             */
            timestamp: string;
            data: {
                clientId: string;
                /** @description All scopes that the client application has now */
                scopes: string[];
            };
        } | {
            /** @enum {string} */
            type: "endpoint.test";
            /**
             * Format: date-time
             * @description When it happened. Deliveries may arrive in another order
             */
            timestamp: string;
            data: {
                clientId: string;
            };
        };
        /** @description Roles of a community member that have changed. */
        RoleCallback: {
            /** Format: uuid */
            requestId: string;
            clientId: string;
            roles: components["schemas"]["TokenGatingRole"][];
            errors?: components["schemas"]["TokenGatingError"][];
            communityId: string;
            userId: string;
            /**
             * @description Only with `platformUserId`
             * @enum {string}
             */
            platform?: "ethereum" | "solana" | "chat" | "microblog" | "codehost";
            /** @description The member's id on the platform, for client applications that reported it or where it is a number */
            platformUserId?: string;
            /** Format: date-time */
            at: string;
        };
        /** @description A receiver answers 200 with the same `challenge` and nothing else. */
        ReceiverChallenge: {
            /** Format: uuid */
            requestId: string;
            clientId: string;
            roles: components["schemas"]["TokenGatingRole"][];
            errors?: components["schemas"]["TokenGatingError"][];
            communityId: string;
            challenge: string;
        };
        ClientApplicationList: {
            items: components["schemas"]["ClientApplication"][];
        };
        ClientApplication: {
            clientId: string;
            name: string;
            /** @enum {string} */
            type: "confidential" | "public";
            /**
             * @description `pending` while it waits for an operator; scopes that need no approval work in every state
             * @enum {string}
             */
            status: "pending" | "approved" | "rejected";
            rejectionReason?: string;
            requestedScopes: ("$public" | "openid" | "offline_access" | "user:read" | "user:write" | "user:wallet:read" | "user:wallet:write" | "user:community:read" | "community:read" | "community:write" | "community:analytics" | "token-gating" | "accountkit" | "verifiable-credential:read" | "user:verifiable-credential:read" | "user:verifiable-credential:write" | "user:webauthn-credential:read" | "user:webauthn-credential:write" | "user:client-application:write" | "operator")[];
            /** @description The scopes that the application has now */
            approvedScopes: ("$public" | "openid" | "offline_access" | "user:read" | "user:write" | "user:wallet:read" | "user:wallet:write" | "user:community:read" | "community:read" | "community:write" | "community:analytics" | "token-gating" | "accountkit" | "verifiable-credential:read" | "user:verifiable-credential:read" | "user:verifiable-credential:write" | "user:webauthn-credential:read" | "user:webauthn-credential:write" | "user:client-application:write" | "operator")[];
            redirectUris: string[];
            origins: string[];
            postLogoutRedirectUris: string[];
            iconUrl?: string;
            implicit: boolean;
            /** @enum {string} */
            idTokenAlg: "RS256" | "ES256";
            /** @enum {string} */
            tokenResponse: "form" | "json";
            /** @description What users see and what works now, until an operator approves the changes; absent if no operator has reviewed the application */
            approvedValues?: {
                name: string;
                iconUrl?: string;
                redirectUris: string[];
                postLogoutRedirectUris: string[];
                /** @description All origins of Sign-in with Ethereum */
                origins: string[];
            };
            /** @description Increases with every change by the owner */
            revision: number;
            /** Format: date-time */
            createdTime: string;
            /** Format: date-time */
            updatedTime: string;
        };
        /**
         * @example {
         *       "name": "Shop",
         *       "redirectUris": [
         *         "http://localhost:3006/callback"
         *       ],
         *       "scopes": [
         *         "token-gating"
         *       ]
         *     }
         */
        NewClientApplication: {
            /** @description Shown to users on the consent page once an operator has approved it */
            name: string & (string);
            /**
             * @default confidential
             * @enum {string}
             */
            type: "confidential" | "public";
            /** @description https, or http on localhost, 127.0.0.1 and [::1]. A public application may also have a private-use scheme, such as com.example.app:/callback */
            redirectUris?: string[];
            /** @description Origins that may use Sign-in with Ethereum; the origins of the redirect URIs when empty */
            origins?: string[];
            /** @description Where a browser may return after `GET /oauth2/logout`, compared byte for byte */
            postLogoutRedirectUris?: string[];
            iconUrl?: string;
            /** @description `token-gating`, `community:analytics` and `accountkit` need approval by an operator */
            scopes?: ("$public" | "openid" | "offline_access" | "user:read" | "user:write" | "user:wallet:read" | "user:wallet:write" | "user:community:read" | "community:read" | "community:write" | "community:analytics" | "token-gating" | "accountkit" | "verifiable-credential:read" | "user:verifiable-credential:read" | "user:verifiable-credential:write" | "user:webauthn-credential:read" | "user:webauthn-credential:write")[];
            /**
             * @description Whether `response_type=token` may be used
             * @default false
             */
            implicit: boolean;
            /**
             * @default RS256
             * @enum {string}
             */
            idTokenAlg: "RS256" | "ES256";
            /**
             * @description Format of the token endpoint for OpenID Connect when `Accept` names neither; applications registered before this field existed have `form`
             * @default json
             * @enum {string}
             */
            tokenResponse: "form" | "json";
        };
        CreatedClientApplication: {
            application: components["schemas"]["ClientApplication"];
            /** @description Shown once; absent for a public client */
            clientSecret?: string;
            keyId: string;
            /** @description Shown once */
            apiKey: string;
        };
        PlanUsage: {
            /** @enum {string} */
            plan: "free" | "paid" | "enterprise";
            requestsPerSecond: number;
            month: {
                limit: number;
                /** @description Absent when no gateway answers */
                used?: number;
                /** Format: date-time */
                endsTime: string;
            };
            clientApplications: {
                limit?: number;
                used: number;
            };
            apiKeys: {
                limit?: number;
                used: number;
            };
            /** @description In the last 24 hours, newest first */
            refusals: {
                /** Format: date-time */
                hour: string;
                clientId: string;
                code: string;
                count: number;
            }[];
        };
        /**
         * @description Omitted fields stay unchanged. Once an operator has approved an application, another name, another icon and added redirect URIs (after logout, too) and origins wait for approval while the approved ones and its scopes go on working; what is removed stops working at once.
         * @example {
         *       "name": "Shop"
         *     }
         */
        ClientApplicationChange: {
            /** @description Shown to users on the consent page once an operator has approved it */
            name?: string & (string);
            /** @description https, or http on localhost, 127.0.0.1 and [::1]. A public application may also have a private-use scheme, such as com.example.app:/callback */
            redirectUris?: string[];
            /** @description Origins that may use Sign-in with Ethereum; the origins of the redirect URIs when empty */
            origins?: string[];
            /** @description Where a browser may return after `GET /oauth2/logout`, compared byte for byte */
            postLogoutRedirectUris?: string[];
            /** @description null removes it */
            iconUrl?: string | null;
            /** @description `token-gating`, `community:analytics` and `accountkit` need approval by an operator */
            scopes?: ("$public" | "openid" | "offline_access" | "user:read" | "user:write" | "user:wallet:read" | "user:wallet:write" | "user:community:read" | "community:read" | "community:write" | "community:analytics" | "token-gating" | "accountkit" | "verifiable-credential:read" | "user:verifiable-credential:read" | "user:verifiable-credential:write" | "user:webauthn-credential:read" | "user:webauthn-credential:write")[];
            /** @description Whether `response_type=token` may be used */
            implicit?: boolean;
            /** @enum {string} */
            idTokenAlg?: "RS256" | "ES256";
            /**
             * @description Format of the token endpoint for OpenID Connect when `Accept` names neither; applications registered before this field existed have `form`
             * @enum {string}
             */
            tokenResponse?: "form" | "json";
        };
        /**
         * @example {
         *       "overlapSeconds": 3600
         *     }
         */
        CredentialRotation: {
            /**
             * @description How long the old credential stays valid; 0 revokes it now
             * @default 86400
             */
            overlapSeconds: number;
            /** @description Whether nobody has the old credential: while the one before it is valid, the old one ends now, and the one before keeps its end */
            lost?: boolean;
        };
        IssuedClientSecret: {
            /** @description Shown once */
            clientSecret: string;
        };
        ApiKeyList: {
            items: components["schemas"]["ApiKey"][];
        };
        ApiKey: {
            keyId: string;
            /** @description Identifies the key without revealing it */
            hint: string;
            /** Format: date-time */
            createdTime: string;
            name?: string;
            /** @description The key has those of them that the application has now; absent for a key with all of them */
            scopes?: ("$public" | "openid" | "offline_access" | "user:read" | "user:write" | "user:wallet:read" | "user:wallet:write" | "user:community:read" | "community:read" | "community:write" | "community:analytics" | "token-gating" | "accountkit" | "verifiable-credential:read" | "user:verifiable-credential:read" | "user:verifiable-credential:write" | "user:webauthn-credential:read" | "user:webauthn-credential:write" | "user:client-application:write" | "operator")[];
            /**
             * Format: date-time
             * @description Set for a key with an end, and after a rotation
             */
            expiresTime?: string;
            /**
             * Format: date-time
             * @description The beginning of the hour of the last use; absent while no use was seen
             */
            lastUsedTime?: string;
        };
        /**
         * @example {
         *       "name": "Server",
         *       "scopes": [
         *         "token-gating"
         *       ]
         *     }
         */
        NewApiKey: {
            /** @description Shown to the owner */
            name?: string & (string);
            /** @description What the key may do, as long as the application has the scope, too. Omitted: all scopes of the application, now and later */
            scopes?: ("$public" | "openid" | "offline_access" | "user:read" | "user:write" | "user:wallet:read" | "user:wallet:write" | "user:community:read" | "community:read" | "community:write" | "community:analytics" | "token-gating" | "accountkit" | "verifiable-credential:read" | "user:verifiable-credential:read" | "user:verifiable-credential:write" | "user:webauthn-credential:read" | "user:webauthn-credential:write")[];
            /**
             * Format: date-time
             * @description When the key ends. Omitted: when it is revoked
             */
            expiresTime?: string;
        };
        IssuedApiKey: {
            keyId: string;
            /** @description Shown once */
            apiKey: string;
        };
        PublishableIdList: {
            items: components["schemas"]["PublishableId"][];
        };
        PublishableId: {
            id: string;
            /** @description For `X-API-Key`. It is no secret */
            publishableId: string;
            name?: string;
            origins: string[];
            /** Format: date-time */
            createdTime: string;
        };
        /**
         * @example {
         *       "name": "Shop",
         *       "origins": [
         *         "https://shop.example"
         *       ]
         *     }
         */
        NewPublishableId: {
            /** @description Shown to the owner */
            name?: string & (string);
            /** @description The origins of the pages, such as `https://shop.example`, compared byte for byte with the `Origin` header */
            origins: string[];
        };
        JsonWebKeySet: {
            keys: ({
                kty: string;
                kid: string;
                use?: string;
                alg?: string;
            } & {
                [key: string]: unknown;
            })[];
        };
        PendingApplicationList: {
            items: components["schemas"]["PendingApplication"][];
        };
        PendingApplication: {
            clientId: string;
            name: string;
            /** @enum {string} */
            type: "confidential" | "public";
            /**
             * @description `pending` while it waits for an operator; scopes that need no approval work in every state
             * @enum {string}
             */
            status: "pending" | "approved" | "rejected";
            rejectionReason?: string;
            requestedScopes: ("$public" | "openid" | "offline_access" | "user:read" | "user:write" | "user:wallet:read" | "user:wallet:write" | "user:community:read" | "community:read" | "community:write" | "community:analytics" | "token-gating" | "accountkit" | "verifiable-credential:read" | "user:verifiable-credential:read" | "user:verifiable-credential:write" | "user:webauthn-credential:read" | "user:webauthn-credential:write" | "user:client-application:write" | "operator")[];
            /** @description The scopes that the application has now */
            approvedScopes: ("$public" | "openid" | "offline_access" | "user:read" | "user:write" | "user:wallet:read" | "user:wallet:write" | "user:community:read" | "community:read" | "community:write" | "community:analytics" | "token-gating" | "accountkit" | "verifiable-credential:read" | "user:verifiable-credential:read" | "user:verifiable-credential:write" | "user:webauthn-credential:read" | "user:webauthn-credential:write" | "user:client-application:write" | "operator")[];
            redirectUris: string[];
            origins: string[];
            postLogoutRedirectUris: string[];
            iconUrl?: string;
            implicit: boolean;
            /** @enum {string} */
            idTokenAlg: "RS256" | "ES256";
            /** @enum {string} */
            tokenResponse: "form" | "json";
            /** @description What users see and what works now, until an operator approves the changes; absent if no operator has reviewed the application */
            approvedValues?: {
                name: string;
                iconUrl?: string;
                redirectUris: string[];
                postLogoutRedirectUris: string[];
                /** @description All origins of Sign-in with Ethereum */
                origins: string[];
            };
            /** @description Increases with every change by the owner */
            revision: number;
            /** Format: date-time */
            createdTime: string;
            /** Format: date-time */
            updatedTime: string;
            /** @description The id of the tenant */
            ownerId: string;
            ownerUserId?: string;
            /** @description The requested scopes that need a decision */
            awaitingScopes: ("$public" | "openid" | "offline_access" | "user:read" | "user:write" | "user:wallet:read" | "user:wallet:write" | "user:community:read" | "community:read" | "community:write" | "community:analytics" | "token-gating" | "accountkit" | "verifiable-credential:read" | "user:verifiable-credential:read" | "user:verifiable-credential:write" | "user:webauthn-credential:read" | "user:webauthn-credential:write" | "user:client-application:write" | "operator")[];
        };
        /**
         * @example {
         *       "revision": 1
         *     }
         */
        ApplicationApproval: {
            /** @description The reviewed revision of the application; 409 when it was changed since */
            revision: number;
            /** @description A subset of the awaiting scopes; all of them when omitted */
            scopes?: ("$public" | "openid" | "offline_access" | "user:read" | "user:write" | "user:wallet:read" | "user:wallet:write" | "user:community:read" | "community:read" | "community:write" | "community:analytics" | "token-gating" | "accountkit" | "verifiable-credential:read" | "user:verifiable-credential:read" | "user:verifiable-credential:write" | "user:webauthn-credential:read" | "user:webauthn-credential:write" | "user:client-application:write" | "operator")[];
        };
        /**
         * @example {
         *       "revision": 1,
         *       "reason": "The name is taken"
         *     }
         */
        ApplicationRejection: {
            /** @description The reviewed revision of the application; 409 when it was changed since */
            revision: number;
            /** @description Shown to the owner */
            reason: string;
        };
        /**
         * @example {
         *       "plan": "paid"
         *     }
         */
        PlanChange: {
            /** @enum {string} */
            plan: "free" | "paid";
        } | {
            /** @enum {string} */
            plan: "enterprise";
            requestsPerSecond: number;
            requestsPerMonth: number;
            /** @description Client applications; absent or null: no limit */
            clientApplications?: number | null;
            /** @description Live API keys; absent or null: no limit */
            apiKeys?: number | null;
        };
        /**
         * @example {
         *       "userId": "user_7VkIqevX1qo2K1mIvdlcNo"
         *     }
         */
        UsernameOwner: {
            /** @example user_2VlSkzb0fBXVUg23Ejdwy8 */
            userId: string;
        };
        SupervisedCommunity: {
            communityId: string;
            name: string;
            ownerId: string;
            visibility: string;
            memberCount: number;
            /** @description Absent while the community is active */
            suspension?: {
                reason: string;
                /** Format: date-time */
                since: string;
            };
            /** @enum {string} */
            status: "active" | "suspended";
        };
        /**
         * @example {
         *       "reason": "It imitates another community"
         *     }
         */
        CommunitySuspension: {
            /** @description For operators; those who run the community do not see it */
            reason: string;
        };
        AuditRecordList: {
            items: components["schemas"]["AuditRecord"][];
        };
        AuditRecord: {
            id: number;
            /** Format: date-time */
            time: string;
            actor: {
                /** @enum {string} */
                kind: "user" | "operator" | "command";
                id?: string;
            };
            /** @enum {string} */
            action: "client.created" | "client.changed" | "client.removed" | "client.approved" | "client.rejected" | "client.message-sent" | "client.scopes-set" | "client.secret-rotated" | "key.created" | "key.rotated" | "key.revoked" | "publishable-id.created" | "publishable-id.revoked" | "plan.set" | "plan.viewed" | "queue.listed" | "audit.listed" | "user.viewed" | "user.erased" | "username.given" | "username.freed" | "passkey.added" | "passkey.kept" | "passkey.removed" | "passkey.blocked" | "suspensions.listed" | "community.viewed" | "community.suspended" | "community.resumed" | "account-policy.viewed" | "account-policy.set" | "account-policy.removed" | "freezes.listed" | "freeze.set" | "freeze.removed";
            target: string;
            details: {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "uri": "http://localhost:3006/",
         *       "accountId": "eip155:31337:0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *       "resources": [
         *         "urn:scope:user:read"
         *       ]
         *     }
         */
        ChallengeRequest: {
            /** @description Returned unchanged */
            state?: string;
            /**
             * Format: uri
             * @description Its origin must be registered by the client application. Required without `domain`, which then stands for `https://<domain>`
             */
            uri?: string;
            /** @description The host of `uri`, if both are present */
            domain?: string;
            /** @description CAIP-10 account id or plain address. If present, the signer must match */
            accountId?: string;
            /** @description URIs, also in one text with spaces between, which the message lists as given and in order. `urn:scope:<scope>` requests a scope; others grant nothing. `urn:recap:` is refused */
            resources?: string[];
        };
        ChallengeResponse: {
            state?: string;
            requestId: string;
            /** @description The message to sign with the wallet (EIP-4361) */
            message: string;
        };
        /**
         * @example {
         *       "requestId": "the requestId of the challenge",
         *       "signature": "0x…",
         *       "accountId": "eip155:31337:0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
         *     }
         */
        IdTokenRequest: {
            requestId: string;
            /**
             * @description `eip191` finds signatures of contract wallets, too; `eip1271`, `eip6492` and `SIWE` mean the same. `ed25519` is for Solana. Case does not matter
             * @enum {string}
             */
            signatureType?: "eip191" | "eip1271" | "eip6492" | "ed25519";
            signature: string;
            /** @description CAIP-10 account id or plain address. If present, the signer must match. A contract wallet must also be the account of the challenge */
            accountId?: string;
            /** @description Scopes, also in one text with spaces between, and also as `urn:scope:<scope>`. The token gets those that the signed message has, too; without this field all of the message */
            scopes?: string[];
        };
        IdTokenResponse: {
            /** @description For `Authorization: AE <token>` */
            idToken: string;
        };
        /**
         * @example {
         *       "credential": "message.signature"
         *     }
         */
        CredentialRevocation: {
            /** @description The value after `Ethereum` in the `Authorization` header */
            credential: string;
        };
        AccountAuthChallenge: {
            /** @description The text for the wallet to sign */
            message: string;
        };
        LinkedUsers: {
            /** @description Ids of users that share an Ethereum address */
            items: string[];
        };
        /** @description An identity on one platform. Names and the picture need the scope `user:read`, and are absent until the user sets them. */
        User: {
            id: string;
            /** @enum {string} */
            platform: "ethereum" | "solana" | "chat" | "microblog" | "codehost";
            /** @description CAIP-10: the wallet from which the id follows. An externally owned account is named on chain 1, a Solana account on mainnet */
            address?: string;
            userName?: string;
            username?: string;
            name?: string;
            picture?: string;
            /** Format: date-time */
            createdTime: string;
        };
        /**
         * @description Omitted fields stay unchanged. Usernames are set in the portal.
         * @example {
         *       "name": "Ada Lovelace",
         *       "picture": "https://pictures.example/user_7VkIqevX1qo2K1mIvdlcNo.png"
         *     }
         */
        UserChange: {
            /** @description 1 to 64 code points without invisible ones; stored in NFC. null removes it */
            name?: string | null;
            /** @description An https URL of a public host. null removes it */
            picture?: string | null;
        };
        /**
         * @example {
         *       "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *       "message": "The text of GET /account/auth-message",
         *       "signedMessage": "0x…"
         *     }
         */
        AccountAddressRequest: {
            /** @description An EVM or Solana address, or a CAIP-10 id */
            address: string;
            /** @description The exact text from `GET /account/auth-message` */
            message: string;
            /** @description EVM: 0x and hex digits (EIP-191; ERC-1271 and ERC-6492 for contract wallets). Solana: Ed25519 in base58, base64 or 0x hex */
            signedMessage: string;
            /** @description Decimal digits or CAIP-2; required for a contract wallet */
            chainId?: string;
            /**
             * @description As at the login: `ed25519` for Solana. May be left out
             * @enum {string}
             */
            signatureType?: "eip191" | "eip1271" | "eip6492" | "ed25519";
        };
        WalletBalance: {
            address: string;
            /** @description Balances of native coins and watched tokens, as far as known within two seconds */
            accounts: {
                cashtag: string;
                tokenAddress: string;
                chainId: number;
                balance: string;
            }[];
        };
        WalletConnectionPage: {
            paginationToken?: string;
            items: components["schemas"]["WalletConnection"][];
        };
        WalletConnection: {
            id: string;
            /** Format: date-time */
            createdTime: string;
            address: string;
            /** @description CAIP-10 */
            accountId: string;
            userId: string;
            /** @enum {string} */
            platform: "ethereum" | "solana" | "chat" | "microblog" | "codehost";
            walletType: string;
            chainId: string;
            metadata: {
                [key: string]: unknown;
            };
        };
        OpenIdConfiguration: {
            issuer: string;
            authorization_endpoint: string;
            token_endpoint: string;
            introspection_endpoint: string;
            revocation_endpoint: string;
            jwks_uri: string;
            scopes_supported: string[];
            response_types_supported: string[];
            grant_types_supported: string[];
            code_challenge_methods_supported: string[];
            userinfo_endpoint: string;
            subject_types_supported: string[];
            id_token_signing_alg_values_supported: string[];
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "grant_type": "client_credentials",
         *       "scope": "token-gating",
         *       "client_id": "{clientId}"
         *     }
         */
        OAuthTokenRequest: {
            /** @enum {string} */
            grant_type: "authorization_code" | "refresh_token" | "client_credentials";
            code?: string;
            /** @description As in the authorization request */
            redirect_uri?: string;
            code_verifier?: string;
            refresh_token?: string;
            scope?: string;
            client_id?: string;
            client_secret?: string;
        };
        OAuthTokenAnswer: {
            access_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            expires_in: number;
            scope: string;
            refresh_token?: string;
            id_token?: string;
        };
        OAuthError: {
            error: string;
            error_description?: string;
        };
        /**
         * @example {
         *       "token": "token",
         *       "client_id": "{clientId}"
         *     }
         */
        OAuthTokenQuestion: {
            token: string;
            token_type_hint?: string;
            client_id?: string;
            client_secret?: string;
        };
        OAuthIntrospection: {
            active: boolean;
            scope?: string;
            client_id?: string;
            sub?: string;
            aud?: string;
            iss?: string;
            exp?: number;
            iat?: number;
            jti?: string;
            token_type?: string;
        };
        UserInfo: {
            sub: string;
            name?: string;
            /** @description The username, else the ENS name, else the shortened address. It may change, and does not identify the user: `sub` does */
            preferred_username?: string;
            picture?: string;
            /** @description CAIP-10, with `user:wallet:read` */
            wallets?: string[];
        };
        AuthorizationServerMetadata: {
            issuer: string;
            authorization_endpoint: string;
            token_endpoint: string;
            introspection_endpoint: string;
            revocation_endpoint: string;
            jwks_uri: string;
            scopes_supported: string[];
            response_types_supported: string[];
            grant_types_supported: string[];
            code_challenge_methods_supported: string[];
        } & {
            [key: string]: unknown;
        };
        ProtectedResourceMetadata: {
            resource: string;
            resource_name: string;
            authorization_servers: string[];
            jwks_uri: string;
            scopes_supported: string[];
            bearer_methods_supported: string[];
            resource_documentation: string;
        };
        PlatformWalletChallenge: {
            /** @description The text for the wallet to sign */
            message: string;
            requestId: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description The page on which the user can sign it with a browser wallet */
            url: string;
        };
        /**
         * @example {
         *       "requestId": "The id of the challenge",
         *       "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *       "signature": "0x…"
         *     }
         */
        PlatformWalletRequest: {
            requestId: string;
            /** @description An EVM or Solana address, or a CAIP-10 id */
            address: string;
            /** @description EVM: 0x and hex digits (EIP-191; ERC-1271 and ERC-6492 for contract wallets). Solana: Ed25519 in base58, base64 or 0x hex */
            signature: string;
            /** @description Decimal digits or CAIP-2; required for a contract wallet */
            chainId?: string;
            /**
             * @description As at the login: `ed25519` for Solana. May be left out
             * @enum {string}
             */
            signatureType?: "eip191" | "eip1271" | "eip6492" | "ed25519";
        };
        PlatformUserWallet: {
            id: string;
            /** Format: date-time */
            createdTime: string;
            /** @description Only for applications that are approved for `user:wallet:read` */
            address?: string;
            /** @description CAIP-10. Only for applications that are approved for `user:wallet:read` */
            accountId?: string;
            /**
             * @description Only for applications that are approved for `user:wallet:read`
             * @enum {string}
             */
            platform?: "ethereum" | "solana" | "chat" | "microblog" | "codehost";
            /** @description Only for applications that are approved for `user:wallet:read` */
            walletType?: string;
            /** @description Only for applications that are approved for `user:wallet:read` */
            chainId?: string;
        };
        PlatformUserWallets: {
            items: components["schemas"]["PlatformUserWallet"][];
        };
        PasskeyList: {
            items: components["schemas"]["Passkey"][];
        };
        Passkey: {
            id: string;
            name: string;
            /** @description Whether the passkey is copied to other devices of its owner */
            backedUp: boolean;
            /** Format: date-time */
            createdTime: string;
        };
        /**
         * @example {
         *       "name": "Phone"
         *     }
         */
        PasskeyChange: {
            /** @description 1 to 64 code points without invisible ones; stored in NFC */
            name: string;
        };
        BotSmartAccountAddressRequest: {
            /** @description The signer's address. */
            pkpAddress: string;
            /** @description The smart account, for each chain of the deployment on which the contracts of smart accounts were found. */
            evm: {
                address: string;
                chainId: number;
            }[];
            /** @description An account for each Solana network. */
            solana: {
                address: string;
                /** @enum {string} */
                network: "SOL" | "SOL_DEVNET";
            }[];
        };
        /**
         * @example {
         *       "name": "Demo",
         *       "symbol": "DMO",
         *       "metadata": {},
         *       "recipient": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
         *     }
         */
        FungibleTokenMintRequest: {
            /** @description At most 64 bytes of UTF-8 */
            name: string;
            /** @description At most 16 bytes of UTF-8 */
            symbol: string;
            /** @description Stored with the token. Its URLs are not fetched. */
            metadata: {
                description?: string;
                website_link?: string;
                image?: string;
                media?: string;
                nsfw?: boolean;
            } & {
                [key: string]: unknown;
            };
            /** @description Gets all tokens. Default: the smart account. */
            recipient?: string;
            /** @description `true` asks what the submission would do: it is judged and planned in the same way, gets the same errors, and nothing is stored, signed or sent. Default: false. */
            dryRun?: boolean;
        };
        MintFungibleTokenResponse: {
            response: {
                contract: {
                    fungible: {
                        /** @enum {string} */
                        object: "fungible";
                        name: string;
                        symbol: string;
                        /** @description URL of the image; empty when the metadata names none */
                        media: string;
                        address: string;
                        decimals: number;
                        /** @description What the request named, stored with the operation */
                        metadata: {
                            description?: string;
                            website_link?: string;
                            image?: string;
                            media?: string;
                            nsfw?: boolean;
                        } & {
                            [key: string]: unknown;
                        };
                    };
                };
                userOperationHash: string;
                chainId: number;
            };
        };
        UserOperationDryRun: {
            /** @enum {boolean} */
            dryRun: true;
            /** @description The address of the account that would sign */
            account: string;
            /**
             * @description Who would pay for the gas, or the fee
             * @enum {string}
             */
            paidBy: "account" | "sponsor";
            chainId: number;
            /** @description Whether the operation would be the one that deploys the account */
            deploysAccount: boolean;
            callGasLimit: string;
            verificationGasLimit: string;
            preVerificationGas: string;
            paymasterVerificationGasLimit?: string;
            paymasterPostOpGasLimit?: string;
            maxFeePerGas: string;
            maxPriorityFeePerGas: string;
            /** @description The most that the gas can cost in wei, whoever pays */
            maxGasCost: string;
            /** @description The most that the account can pay in wei: what the calls send, and the gas without a sponsor */
            maxAccountCost: string;
            /** @description Caps of the policy that the submission would count under */
            caps: {
                /** @description The cap of the policy, as `policy_limit_exceeded` names it */
                limit: string;
                /** @description What this submission would leave of the cap */
                remaining: string;
                /** @description When the whole cap is free again */
                availableAt: string;
            }[];
        };
        /**
         * @example {
         *       "target": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *       "callData": "0x",
         *       "value": "1"
         *     }
         */
        BotSubmitUserOperationRequest: {
            target: string;
            callData?: string;
            calldata?: string;
            /** @description The function to call, as a signature without `returns`, such as `transfer(address to, uint256 amount)`, in place of `callData` */
            function?: string;
            /** @description The values of the parameters of `function`: integers as decimal or hex text, addresses and bytes as hex text, `bool` as true or false, arrays and tuples as arrays */
            arguments?: unknown[];
            value?: string;
            /** @description `true` asks what the submission would do: it is judged and planned in the same way, gets the same errors, and nothing is stored, signed or sent. Default: false. */
            dryRun?: boolean;
        };
        BotSubmitUserOperationResponse: {
            userOperationHash: string;
            chainId: number;
        };
        UserOperationReceipt: {
            userOpHash: string;
            state: string;
            entryPoint?: string;
            sender?: string;
            nonce?: number | string;
            paymaster?: string | null;
            actualGasUsed?: number | string;
            actualGasCost?: number | string;
            success?: boolean;
            reason?: string;
            receipt?: {
                transactionHash: string;
                transactionIndex: number | string;
                blockHash: string;
                blockNumber: number | string;
                from: string;
                to: string | null;
                cumulativeGasUsed: number | string;
                status: string;
                gasUsed: number | string;
                contractAddress: string | null;
                logsBloom: string;
                effectiveGasPrice: number | string;
            } | null;
            logs?: {
                [key: string]: unknown;
            }[];
        };
        /**
         * @example {
         *       "actionIpfs": "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG",
         *       "actionJsParams": {}
         *     }
         */
        ExecuteArbitraryCustomActionRequest: {
            /** @description CID of an action on the list of the client application */
            actionIpfs: string;
            /** @description The frozen global `params` of the action */
            actionJsParams: {
                [key: string]: unknown;
            };
        };
        ExecuteArbitraryCustomActionResponse: {
            response: {
                /** @description Address of the key that signed for the action. It owns no account. */
                actionAddress: string;
                /** @description The default export of the action */
                result: unknown;
            };
        };
        /**
         * @example {
         *       "serializedTransactionBase64": "{solanaTransaction}"
         *     }
         */
        SolanaSerializedTransaction: {
            /** Format: base64 */
            serializedTransactionBase64: string;
            /** @description `true` asks what the submission would do: it is judged and planned in the same way, gets the same errors, and nothing is stored, signed or sent. Default: false. */
            dryRun?: boolean;
        };
        SolanaTransactionSubmitResponse: {
            txSignature: string;
        };
        SolanaTransactionDryRun: {
            /** @enum {boolean} */
            dryRun: true;
            /** @description The address of the account that would sign */
            account: string;
            /**
             * @description Who would pay for the gas, or the fee
             * @enum {string}
             */
            paidBy: "account" | "sponsor";
            /** @enum {string} */
            network: "SOL" | "SOL_DEVNET";
            /** @description The fee in lamports, whoever pays */
            fee: string;
            /** @description Lamports that the instructions may take from the account at most, with the fee if it pays that */
            maxAccountCost: string;
            /** @description Caps of the policy that the submission would count under */
            caps: {
                /** @description The cap of the policy, as `policy_limit_exceeded` names it */
                limit: string;
                /** @description What this submission would leave of the cap */
                remaining: string;
                /** @description When the whole cap is free again */
                availableAt: string;
            }[];
        };
        SolanaTransactionResponse: {
            response: {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "platform": "chat",
         *       "userId": "42"
         *     }
         */
        GetPlatformAccountAddressRequest: {
            /** @enum {string} */
            platform: "chat" | "microblog" | "codehost";
            /** @description The platform's numeric id as decimal text, such as `42` */
            userId: string;
        };
        /**
         * @example {
         *       "userOps": [
         *         {
         *           "target": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *           "callData": "0x",
         *           "value": "1"
         *         },
         *         {
         *           "target": "0x004f51B029eBd789c471B2AFaa9c11593d7cb077",
         *           "function": "approve(address spender, uint256 amount)",
         *           "arguments": [
         *             "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *             "1000000"
         *           ]
         *         }
         *       ]
         *     }
         */
        BotSubmitBatchUserOperationRequest: {
            userOps: components["schemas"]["UserOperationCall"][];
            /** @description `true` asks what the submission would do: it is judged and planned in the same way, gets the same errors, and nothing is stored, signed or sent. Default: false. */
            dryRun?: boolean;
        };
        /**
         * @example {
         *       "target": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *       "callData": "0x",
         *       "value": "1"
         *     }
         */
        UserOperationCall: {
            target: string;
            callData?: string;
            calldata?: string;
            /** @description The function to call, as a signature without `returns`, such as `transfer(address to, uint256 amount)`, in place of `callData` */
            function?: string;
            /** @description The values of the parameters of `function`: integers as decimal or hex text, addresses and bytes as hex text, `bool` as true or false, arrays and tuples as arrays */
            arguments?: unknown[];
            value?: string;
        };
        UserOperationList: {
            items: components["schemas"]["ListedUserOperation"][];
            /** @description For the next page, unless this is the last one */
            paginationToken?: string;
        };
        /** @description A user operation of an account. */
        ListedUserOperation: {
            userOpHash: string;
            chainId: number;
            /** @enum {string} */
            kind: "call" | "mint" | "cancellation";
            /** @enum {string} */
            state: "accepted" | "signed" | "submitted" | "included" | "final" | "reverted" | "rejected" | "expired" | "stuck";
            /** @description The lane, in decimal */
            nonceKey: string;
            /** @description Once it is included */
            success?: boolean;
            /** @description Why it failed, or why it is not included yet */
            reason?: string;
            transactionHash?: string;
            /** Format: date-time */
            acceptedAt: string;
            /**
             * Format: date-time
             * @description When it came into its state
             */
            changedAt: string;
        };
        SolanaSponsorList: {
            items: {
                /** @enum {string} */
                network: "SOL" | "SOL_DEVNET";
                /** @description The fee payer to name, in base58 */
                address: string;
                /** @description The highest fee that the sponsor pays for a transaction, in lamports */
                maxFeeLamports: number;
            }[];
        };
        AccountPolicyResponse: {
            policy: components["schemas"]["AccountPolicy"];
            /** Format: date-time */
            changedAt: string;
            /** @description Differs for each content; for `revision` of a change */
            revision: string;
        };
        /**
         * @description What smart accounts may do for a client application. What it does not name is refused; docs/guides/account-kit.md explains the fields.
         * @example {
         *       "calls": [
         *         {
         *           "chainId": 31337,
         *           "target": "any",
         *           "selectors": [
         *             "0x"
         *           ]
         *         }
         *       ],
         *       "maxValue": "1000"
         *     }
         */
        AccountPolicy: {
            calls?: {
                chainId: number;
                target: "any" | string;
                selectors?: string[];
            }[];
            maxValue?: string;
            maxGasCost?: string;
            tokens?: {
                chainId: number;
                token: string;
                maxAmount: string;
            }[];
            /** @default [] */
            mintChains: number[];
            /** @default [] */
            sponsoredChains: number[];
            /** @default false */
            requiresIdempotencyKey: boolean;
            /** @default [] */
            solanaNetworks: ("SOL" | "SOL_DEVNET")[];
            /** @default [] */
            sponsoredNetworks: ("SOL" | "SOL_DEVNET")[];
            maxLamports?: string;
            solanaTokens?: {
                /** @enum {string} */
                network: "SOL" | "SOL_DEVNET";
                mint: string;
                maxAmount: string;
            }[];
            solanaPrograms?: string[];
            caps?: ({
                /** @enum {string} */
                of: "gas";
                chainId: number;
                /** @enum {string} */
                per: "account" | "application";
                /** @enum {string} */
                period: "day" | "month";
                max: string;
            } | {
                /** @enum {string} */
                of: "value";
                chainId: number;
                /** @enum {string} */
                per: "account" | "application";
                /** @enum {string} */
                period: "day" | "month";
                max: string;
            } | {
                /** @enum {string} */
                of: "token";
                chainId: number;
                token: string;
                /** @enum {string} */
                per: "account" | "application";
                /** @enum {string} */
                period: "day" | "month";
                max: string;
            } | {
                /** @enum {string} */
                of: "mints";
                chainId: number;
                /** @enum {string} */
                per: "account" | "application";
                /** @enum {string} */
                period: "day" | "month";
                max: string;
            } | {
                /** @enum {string} */
                of: "lamports";
                /** @enum {string} */
                network: "SOL" | "SOL_DEVNET";
                /** @enum {string} */
                per: "account" | "application";
                /** @enum {string} */
                period: "day" | "month";
                max: string;
            } | {
                /** @enum {string} */
                of: "sponsoredFees";
                /** @enum {string} */
                network: "SOL" | "SOL_DEVNET";
                /** @enum {string} */
                per: "account" | "application";
                /** @enum {string} */
                period: "day" | "month";
                max: string;
            } | {
                /** @enum {string} */
                of: "solanaToken";
                /** @enum {string} */
                network: "SOL" | "SOL_DEVNET";
                mint: string;
                /** @enum {string} */
                per: "account" | "application";
                /** @enum {string} */
                period: "day" | "month";
                max: string;
            })[];
        };
        AccountFreezeList: {
            items: components["schemas"]["AccountFreeze"][];
        };
        AccountFreeze: {
            /** @description An account is named by its EVM address */
            id: string;
            /** @enum {string} */
            scope: "account" | "application" | "chain" | "paymaster" | "everything";
            reason: string;
            /** Format: date-time */
            frozenAt: string;
        };
        /**
         * @example {
         *       "reason": "A key was found in a log"
         *     }
         */
        AccountFreezeRequest: {
            /** @description For operators; callers do not see it */
            reason: string;
        };
        /** @description A role as a chart shows it. */
        AnalyticsFilter: {
            color: number;
            id: string;
            name: string;
        };
        /**
         * @description How many members held a role at the end of the range. The row with the id `none` counts members without any of the others.
         * @example {
         *       "id": "whale",
         *       "name": "Whale",
         *       "color": 2450411,
         *       "count": 12,
         *       "share": 0.4
         *     }
         */
        RoleDistributionRow: {
            id: string;
            name: string;
            color?: number;
            count: number;
            /** @description Of all members; 0 without members */
            share: number;
        };
        /**
         * @description How often roles were granted and revoked in a bucket.
         * @example {
         *       "date": "2026-01-01T00:00:00Z",
         *       "total": 3,
         *       "roles": [
         *         {
         *           "id": "whale",
         *           "name": "Whale",
         *           "color": 2450411,
         *           "added": 3,
         *           "removed": 1
         *         }
         *       ]
         *     }
         */
        RolesAddedRow: {
            /**
             * Format: date-time
             * @description When the bucket begins, with the offset of the time zone then
             */
            date: string;
            /** @description The sum of `added` */
            total: number;
            roles: {
                id: string;
                name: string;
                color?: number;
                added: number;
                removed: number;
            }[];
        };
        /**
         * @description What users did in a bucket.
         * @example {
         *       "date": "2026-01-01T00:00:00Z",
         *       "users": 2,
         *       "interactions": 3,
         *       "kinds": {
         *         "joined": 2,
         *         "left": 1,
         *         "signedIn": 0,
         *         "checked": 0,
         *         "walletLinked": 0,
         *         "reported": 0
         *       }
         *     }
         */
        UserInteractionsRow: {
            /**
             * Format: date-time
             * @description When the bucket begins, with the offset of the time zone then
             */
            date: string;
            /** @description Distinct users of the interactions: exact up to 1000, within 3 % above. They do not add up over buckets. */
            users: number;
            /** @description The sum of `kinds` */
            interactions: number;
            kinds: {
                joined: number;
                left: number;
                /** @description Sign-ins to a client application that is attached to the community */
                signedIn: number;
                /** @description Members whose roles were asked for, each at most once a quarter-hour */
                checked: number;
                walletLinked: number;
                /** @description Interactions that attached client applications reported */
                reported: number;
            };
        };
        /**
         * @description How many wallets members connected and disconnected in a bucket.
         * @example {
         *       "date": "2026-01-01T00:00:00Z",
         *       "connected": 4,
         *       "disconnected": 1,
         *       "total": 37
         *     }
         */
        WalletConnectionsRow: {
            /**
             * Format: date-time
             * @description When the bucket begins, with the offset of the time zone then
             */
            date: string;
            connected: number;
            disconnected: number;
            /** @description Pairs of a member and a wallet at the end of the bucket */
            total: number;
        };
        ExportedCommunityEvents: {
            items: components["schemas"]["ExportedCommunityEvent"][];
            /** @description For the events after these. Absent only as long as the community has no events */
            cursor?: string;
        };
        /**
         * @description What happened in a community.
         * @example {
         *       "id": "0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11",
         *       "type": "role.granted",
         *       "at": "2026-01-01T12:00:00.123456Z",
         *       "receivedAt": "2026-01-01T12:00:01.654321Z",
         *       "userId": "user_7VkIqevX1qo2K1mIvdlcNo",
         *       "roleId": "whale"
         *     }
         */
        ExportedCommunityEvent: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            type: "member.joined" | "member.left" | "member.checked" | "member.signed_in" | "member.reported" | "role.granted" | "role.revoked" | "wallet.linked" | "wallet.unlinked" | "repair.joined" | "repair.left" | "repair.granted" | "repair.revoked" | "repair.linked" | "repair.unlinked";
            /**
             * Format: date-time
             * @description When it happened
             */
            at: string;
            /**
             * Format: date-time
             * @description When it was stored, which is the order of the list
             */
            receivedAt: string;
            userId: string;
            /** @description Of `role.granted` and `role.revoked` */
            roleId?: string;
            /** @description The CAIP-10 id of the wallet of `wallet.linked` and `wallet.unlinked`, for client applications that are approved for `user:wallet:read` */
            accountId?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "AccessControlController.checkRoles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenGatingRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenGatingResponse"];
                };
            };
        };
    };
    "AccessControlController.getCheckRolesResponse": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                requestId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenGatingResponse"];
                };
            };
            /** @description The check is not finished: poll again after Retry-After. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenGatingResponse"];
                };
            };
        };
    };
    "AccessControlController.redeliverCheckRolesResponse": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                requestId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redelivery"];
                };
            };
        };
    };
    "AccessControlController.getRoles": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenGatingResponse"];
                };
            };
        };
    };
    "OperationCallbackController.getOperationCallback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredOperationCallback"];
                };
            };
        };
    };
    "OperationCallbackController.registerOperationCallback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperationCallbackRegistration"];
            };
        };
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "OperationCallbackController.removeOperationCallback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "CallbackEndpointController.listCallbackEndpoints": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallbackEndpointList"];
                };
            };
        };
    };
    "CallbackEndpointController.createCallbackEndpoint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCallbackEndpoint"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedCallbackEndpoint"];
                };
            };
        };
    };
    "CallbackEndpointController.getCallbackEndpoint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallbackEndpoint"];
                };
            };
        };
    };
    "CallbackEndpointController.deleteCallbackEndpoint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "CallbackEndpointController.changeCallbackEndpoint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CallbackEndpointChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallbackEndpoint"];
                };
            };
        };
    };
    "CallbackEndpointController.rotateCallbackEndpointSecret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallbackEndpointSecret"];
                };
            };
        };
    };
    "CallbackEndpointController.testCallbackEndpoint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallbackEndpointDeliveryId"];
                };
            };
        };
    };
    "CallbackEndpointController.listCallbackEndpointDeliveries": {
        parameters: {
            query?: {
                /** @description Items of one page */
                limit?: number;
                /** @description From the page before */
                paginationToken?: string;
            };
            header?: never;
            path: {
                clientId: string;
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallbackEndpointDeliveryPage"];
                };
            };
        };
    };
    "CallbackEndpointController.redeliverToCallbackEndpoint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
                endpointId: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallbackEndpointDeliveryId"];
                };
            };
        };
    };
    "CallbackEndpointController.recoverCallbackEndpoint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CallbackEndpointRecovery"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveredDeliveries"];
                };
            };
        };
    };
    "AssetOwnershipController.getAssets": {
        parameters: {
            query?: {
                assets?: string[];
            };
            header?: never;
            path: {
                /** @description Wallet address, CAIP-10 account id, or user id of the platform. A contract wallet that is given by its CAIP-10 id counts on the chain of that id only. */
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssetListItem"][];
                };
            };
        };
    };
    "AssetOwnershipController.getOwnership": {
        parameters: {
            query: {
                assets: string[];
            };
            header?: never;
            path: {
                /** @description Wallet address, CAIP-10 account id, or user id of the platform. A contract wallet that is given by its CAIP-10 id counts on the chain of that id only. */
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssetClaimResponse"];
                };
            };
        };
    };
    "AssetOwnershipController.generateJwt": {
        parameters: {
            query?: {
                format?: "jwt" | "ae";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AssetVerificationRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssetVerificationToken"];
                };
            };
        };
    };
    "AssetOwnershipController.verifyOwnership": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssetVerificationResponse"];
                };
            };
        };
    };
    "CatalogueController.listChains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainList"];
                };
            };
        };
    };
    "CatalogueController.listRuleTypes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleTypeList"];
                };
            };
        };
    };
    "CatalogueController.readToken": {
        parameters: {
            query: {
                /** @description EVM chain id, or the id of a Solana cluster */
                chainId: number;
                /** @description Address of the contract, or of the mint */
                contractAddress: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenDetails"];
                };
            };
        };
    };
    "BalanceCheckController.listBalanceChecks": {
        parameters: {
            query?: {
                /** @description Items of one page */
                limit?: number;
                /** @description From the page before */
                paginationToken?: string;
            };
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BalanceCheckPage"];
                };
            };
        };
    };
    "BalanceCheckController.requestBalanceCheck": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BalanceCheck"];
                };
            };
        };
    };
    "BalanceCheckController.getBalanceCheck": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BalanceCheck"];
                };
            };
        };
    };
    "CommunityController.listCommunities": {
        parameters: {
            query?: {
                /** @description Items of one page */
                limit?: number;
                /** @description From the page before */
                paginationToken?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityPage"];
                };
            };
        };
    };
    "CommunityController.createCommunity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCommunity"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Community"];
                };
            };
        };
    };
    "CommunityController.getCommunity": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Community"];
                };
            };
        };
    };
    "CommunityController.deleteCommunity": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "CommunityController.changeCommunity": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CommunityChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Community"];
                };
            };
        };
    };
    "CommunityController.changeOwner": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCommunityOwner"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Community"];
                };
            };
        };
    };
    "CommunityAdministratorController.listAdministrators": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityAdministratorList"];
                };
            };
        };
    };
    "CommunityAdministratorController.addAdministrator": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "CommunityAdministratorController.removeAdministrator": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "CommunityRoleController.listRoles": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityRoleList"];
                };
            };
        };
    };
    "CommunityRoleController.createRole": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCommunityRole"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityRole"];
                };
            };
        };
    };
    "CommunityRoleController.deleteRole": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
                roleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "CommunityRoleController.changeRole": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
                roleId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CommunityRoleChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityRole"];
                };
            };
        };
    };
    "CommunityRuleController.getRules": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenCommunityRules"];
                };
            };
        };
    };
    "CommunityRuleController.replaceRules": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommunityRules"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenCommunityRules"];
                };
            };
        };
    };
    "CommunityMemberController.listMembers": {
        parameters: {
            query?: {
                /** @description Items of one page */
                limit?: number;
                /** @description From the page before */
                paginationToken?: string;
            };
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityMemberPage"];
                };
            };
        };
    };
    "CommunityMemberController.joinCommunity": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CommunityJoining"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityMember"];
                };
            };
        };
    };
    "CommunityMemberController.leaveCommunity": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "CommunityMemberController.removeMember": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
                /** @description A user id, or an id on the user's platform */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "CommunityMemberController.upsertPlatformUsers": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlatformUserUpsert"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertedPlatformUsers"];
                };
            };
        };
    };
    "CommunityClientController.listClients": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachedClientList"];
                };
            };
        };
    };
    "CommunityClientController.attachClient": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ClientAttachment"];
            };
        };
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "CommunityClientController.detachClient": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "CommunityInvitationController.renewInvitation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewCommunityInvitation"];
                };
            };
        };
    };
    "CommunityInvitationController.getInvitation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityInvitation"];
                };
            };
        };
    };
    "CommunityInteractionController.reportInteractions": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InteractionReport"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InteractionResults"];
                };
            };
        };
    };
    "AccountController.getAdministratedCommunities": {
        parameters: {
            query?: {
                /** @description Recount the members of the communities on the page */
                reload?: boolean;
                /** @description Items of one page */
                limit?: number;
                /** @description From the page before */
                paginationToken?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityPage"];
                };
            };
        };
    };
    "AccountController.getUserCommunities": {
        parameters: {
            query?: {
                /** @description Items of one page */
                limit?: number;
                /** @description From the page before */
                paginationToken?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityPage"];
                };
            };
        };
    };
    "PublishedRuleController.getPublishedRules": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenPublishedRules"];
                };
            };
        };
    };
    "PublishedRuleController.replacePublishedRules": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublishedRules"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenPublishedRules"];
                };
            };
        };
    };
    "PublishedRuleController.checkPublishedRules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublishedRulesCheck"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenGatingResponse"];
                };
            };
        };
    };
    "CredentialIssuerController.getIssuer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialIssuerMetadata"];
                };
            };
        };
    };
    "CredentialIssuerController.getType": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: "asset-ownership" | "community-membership" | "community-role";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialTypeMetadata"];
                };
            };
        };
    };
    "CredentialIssuerController.getStatusList": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                list: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/statuslist+jwt": string;
                };
            };
        };
    };
    "VerifiableCredentialController.createNonce": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialNonce"];
                };
            };
        };
    };
    "VerifiableCredentialController.listCredentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifiableCredentialList"];
                };
            };
        };
    };
    "VerifiableCredentialController.issueCredential": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifiableCredentialRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedVerifiableCredential"];
                };
            };
        };
    };
    "VerifiableCredentialController.getCredential": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifiableCredential"];
                };
            };
        };
    };
    "VerifiableCredentialController.revokeCredential": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "VerifiableCredentialController.listPublicCredentials": {
        parameters: {
            query: {
                /** @description A plain address or a CAIP-10 id. */
                account: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicVerifiableCredentialList"];
                };
            };
        };
    };
    "VerifiableCredentialController.getPublicCredential": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicVerifiableCredential"];
                };
            };
        };
    };
    "VerifiableCredentialController.verifyCredential": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CredentialVerificationRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialVerification"];
                };
            };
        };
    };
    "ClientApplicationController.listApplications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientApplicationList"];
                };
            };
        };
    };
    "ClientApplicationController.createApplication": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewClientApplication"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedClientApplication"];
                };
            };
        };
    };
    "ClientApplicationController.getUsage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanUsage"];
                };
            };
        };
    };
    "ClientApplicationController.getApplication": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientApplication"];
                };
            };
        };
    };
    "ClientApplicationController.deleteApplication": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "ClientApplicationController.changeApplication": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClientApplicationChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientApplication"];
                };
            };
        };
    };
    "ClientApplicationController.rotateSecret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CredentialRotation"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedClientSecret"];
                };
            };
        };
    };
    "ClientApplicationController.listApiKeys": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
        };
    };
    "ClientApplicationController.createApiKey": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedApiKey"];
                };
            };
        };
    };
    "ClientApplicationController.rotateApiKey": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CredentialRotation"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedApiKey"];
                };
            };
        };
    };
    "ClientApplicationController.revokeApiKey": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "PublishableIdController.listPublishableIds": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishableIdList"];
                };
            };
        };
    };
    "PublishableIdController.createPublishableId": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPublishableId"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishableId"];
                };
            };
        };
    };
    "PublishableIdController.revokePublishableId": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "JwksController.getJwks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JsonWebKeySet"];
                };
            };
        };
    };
    "OperatorController.listPendingApplications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingApplicationList"];
                };
            };
        };
    };
    "OperatorController.approveApplication": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplicationApproval"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientApplication"];
                };
            };
        };
    };
    "OperatorController.rejectApplication": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplicationRejection"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientApplication"];
                };
            };
        };
    };
    "OperatorController.setPlan": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlanChange"];
            };
        };
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "OperatorController.eraseUser": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "OperatorController.giveUsername": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Also a reserved one */
                username: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UsernameOwner"];
            };
        };
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "OperatorController.freeUsername": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Also a reserved one */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "OperatorController.getCommunity": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SupervisedCommunity"];
                };
            };
        };
    };
    "OperatorController.suspendCommunity": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommunitySuspension"];
            };
        };
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "OperatorController.resumeCommunity": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "OperatorController.listAuditRecords": {
        parameters: {
            query?: {
                /** @description A client id or the id of a tenant */
                target?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRecordList"];
                };
            };
        };
    };
    "EthereumLoginController.getChallenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChallengeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChallengeResponse"];
                };
            };
        };
    };
    "EthereumLoginController.loginBySiwe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IdTokenRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdTokenResponse"];
                };
            };
        };
    };
    "EthereumCredentialController.revokeCredential": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CredentialRevocation"];
            };
        };
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "AccountController.getAuthChallenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountAuthChallenge"];
                };
            };
        };
    };
    "AccountController.findLinkedUsers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkedUsers"];
                };
            };
        };
    };
    "AccountController.getUserProfile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    "AccountController.changeUserProfile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    "AccountController.addWalletAddress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountAddressRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletBalance"];
                };
            };
        };
    };
    "AccountController.deleteWallet": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An address (an EVM address in any letter case) or a CAIP-10 id */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "AccountController.getWallets": {
        parameters: {
            query?: {
                /** @description Items of one page */
                limit?: number;
                /** @description From the page before */
                paginationToken?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletConnectionPage"];
                };
            };
        };
    };
    "AccountController.deleteWallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "OAuth2Controller.getOpenIdConfig": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenIdConfiguration"];
                };
            };
        };
    };
    "OAuth2Controller.authorize": {
        parameters: {
            query: {
                response_type: "code" | "token";
                client_id: string;
                redirect_uri: string;
                /** @description Scopes, separated by spaces */
                scope?: string;
                /** @description Returned unchanged */
                state?: string;
                code_challenge?: string;
                code_challenge_method?: "S256";
                nonce?: string;
                /** @description `none`, `login`, `consent`, `select_account`, `create`, separated by spaces; others are ignored */
                prompt?: string;
                /** @description Seconds since the login */
                max_age?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    "AuthorizationController.authorizeByForm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /**
                     * @example code
                     * @enum {string}
                     */
                    response_type: "code" | "token";
                    /** @example {clientId} */
                    client_id: string;
                    /** @example http://localhost:3006/callback */
                    redirect_uri: string;
                    /**
                     * @description Scopes, separated by spaces
                     * @example user:read
                     */
                    scope?: string;
                    /** @description Returned unchanged */
                    state?: string;
                    code_challenge?: string;
                    /** @enum {string} */
                    code_challenge_method?: "S256";
                    nonce?: string;
                    /** @description `none`, `login`, `consent`, `select_account`, `create`, separated by spaces; others are ignored */
                    prompt?: string;
                    /** @description Seconds since the login */
                    max_age?: number;
                };
            };
        };
        responses: never;
    };
    "OAuth2Controller.token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["OAuthTokenRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-www-form-urlencoded": components["schemas"]["OAuthTokenAnswer"];
                    "application/json": components["schemas"]["OAuthTokenAnswer"];
                };
            };
        };
    };
    "OAuth2Controller.introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["OAuthTokenQuestion"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthIntrospection"];
                };
            };
        };
    };
    "OAuth2Controller.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["OAuthTokenQuestion"];
            };
        };
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "OAuth2Controller.userinfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserInfo"];
                };
            };
        };
    };
    "UserInfoController.postUserInfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserInfo"];
                };
            };
        };
    };
    "OAuthMetadataController.getAuthorizationServer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthorizationServerMetadata"];
                };
            };
        };
    };
    "OAuthMetadataController.getProtectedResource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtectedResourceMetadata"];
                };
            };
        };
    };
    "AuthorizationController.resume": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    "OAuthLogoutController.logout": {
        parameters: {
            query?: {
                id_token_hint?: string;
                state?: string;
                post_logout_redirect_uri?: string;
                client_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    "OAuthLogoutController.logoutByForm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/x-www-form-urlencoded": {
                    client_id?: string;
                    post_logout_redirect_uri?: string;
                    state?: string;
                    id_token_hint?: string;
                };
            };
        };
        responses: never;
    };
    "PlatformWalletController.createChallenge": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
                /** @description An id on the user's platform, or a user id */
                platformUserId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformWalletChallenge"];
                };
            };
        };
    };
    "PlatformWalletController.listWallets": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
                /** @description An id on the user's platform, or a user id */
                platformUserId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformUserWallets"];
                };
            };
        };
    };
    "PlatformWalletController.linkWallet": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
                /** @description An id on the user's platform, or a user id */
                platformUserId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlatformWalletRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformUserWallet"];
                };
            };
        };
    };
    "PlatformWalletController.removeWallet": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                communityId: string;
                /** @description An id on the user's platform, or a user id */
                platformUserId: string;
                /** @description An address (an EVM address in any letter case), a CAIP-10 id, or the id of the wallet */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "PasskeyController.getPasskeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyList"];
                };
            };
        };
    };
    "PasskeyController.deletePasskey": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a passkey */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "PasskeyController.renamePasskey": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a passkey */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
        };
    };
    "AccountKitController.getAccounts": {
        parameters: {
            query?: never;
            header: {
                /** @description Bot token of the chat platform */
                "X-BOT-TOKEN": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotSmartAccountAddressRequest"];
                };
            };
        };
    };
    "AccountKitController.mint": {
        parameters: {
            query: {
                /** @description EVM chain id */
                chainId: number;
            };
            header: {
                /** @description Bot token of the chat platform */
                "X-BOT-TOKEN": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FungibleTokenMintRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MintFungibleTokenResponse"] | components["schemas"]["UserOperationDryRun"];
                };
            };
        };
    };
    "AccountKitController.submitUserOperation": {
        parameters: {
            query: {
                /** @description EVM chain id */
                chainId: number;
            };
            header: {
                /** @description Bot token of the chat platform */
                "X-BOT-TOKEN": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BotSubmitUserOperationRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotSubmitUserOperationResponse"] | components["schemas"]["UserOperationDryRun"];
                };
            };
        };
    };
    "AccountKitController.getUserOperationReceipt": {
        parameters: {
            query: {
                /** @description EVM chain id */
                chainId: number;
                userOperationHash: string;
            };
            header: {
                /** @description Bot token of the chat platform */
                "X-BOT-TOKEN": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserOperationReceipt"];
                };
            };
            /** @description The operation is not included yet: ask again after Retry-After. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserOperationReceipt"];
                };
            };
        };
    };
    "AccountKitController.executeCustomAction": {
        parameters: {
            query: {
                /** @description EVM chain id */
                chainId: number;
            };
            header: {
                /** @description Bot token of the chat platform */
                "X-BOT-TOKEN": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExecuteArbitraryCustomActionRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecuteArbitraryCustomActionResponse"];
                };
            };
        };
    };
    "AccountKitController.submitSolanaTransaction": {
        parameters: {
            query: {
                /** @description Solana network */
                network: "SOL" | "SOL_DEVNET";
            };
            header: {
                /** @description Bot token of the chat platform */
                "X-BOT-TOKEN": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SolanaSerializedTransaction"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolanaTransactionSubmitResponse"] | components["schemas"]["SolanaTransactionDryRun"];
                };
            };
        };
    };
    "AccountKitController.getSolanaTransaction": {
        parameters: {
            query: {
                /** @description Solana network */
                network: "SOL" | "SOL_DEVNET";
                /** @description Transaction signature as base58 or base64 text */
                txSignatureBase64: string;
            };
            header: {
                /** @description Bot token of the chat platform */
                "X-BOT-TOKEN": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolanaTransactionResponse"];
                };
            };
            /** @description The transaction is not confirmed yet: ask again after Retry-After. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolanaTransactionResponse"];
                };
            };
        };
    };
    "AccountKitController.calculateAccountAddress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GetPlatformAccountAddressRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotSmartAccountAddressRequest"];
                };
            };
        };
    };
    "AccountKitController.getPlatformAccounts": {
        parameters: {
            query: {
                platform: "chat" | "microblog" | "codehost";
            };
            header: {
                /** @description Bot token or OAuth 2.0 access token of the platform */
                "X-ACCESS-TOKEN": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotSmartAccountAddressRequest"];
                };
            };
        };
    };
    "AccountKitController.submitPlatformUserOperation": {
        parameters: {
            query: {
                platform: "chat" | "microblog" | "codehost";
                /** @description EVM chain id */
                chainId: number;
            };
            header: {
                /** @description Bot token or OAuth 2.0 access token of the platform */
                "X-ACCESS-TOKEN": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BotSubmitBatchUserOperationRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotSubmitUserOperationResponse"] | components["schemas"]["UserOperationDryRun"];
                };
            };
        };
    };
    "AccountKitController.submitPlatformSolanaTransaction": {
        parameters: {
            query: {
                platform: "chat" | "microblog" | "codehost";
                /** @description Solana network */
                network: "SOL" | "SOL_DEVNET";
            };
            header: {
                /** @description Bot token or OAuth 2.0 access token of the platform */
                "X-ACCESS-TOKEN": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SolanaSerializedTransaction"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolanaTransactionSubmitResponse"] | components["schemas"]["SolanaTransactionDryRun"];
                };
            };
        };
    };
    "UserOperationController.listUserOperations": {
        parameters: {
            query: {
                platform: "chat" | "microblog" | "codehost";
                /** @description User operations of one page. Default: 50 */
                limit?: number;
                /** @description From the page before */
                paginationToken?: string;
            };
            header: {
                /** @description Bot token or OAuth 2.0 access token of the platform */
                "X-ACCESS-TOKEN": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserOperationList"];
                };
            };
        };
    };
    "UserOperationController.cancelUserOperation": {
        parameters: {
            query: {
                platform: "chat" | "microblog" | "codehost";
            };
            header: {
                /** @description Bot token or OAuth 2.0 access token of the platform */
                "X-ACCESS-TOKEN": string;
            };
            path: {
                hash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotSubmitUserOperationResponse"];
                };
            };
        };
    };
    "SolanaSponsorController.listSolanaSponsors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolanaSponsorList"];
                };
            };
        };
    };
    "AccountPolicyController.getPolicy": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountPolicyResponse"];
                };
            };
        };
    };
    "AccountPolicyController.setPolicy": {
        parameters: {
            query?: {
                /** @description The `revision` of the policy that this change is based on, or `none` where there was none. Without it the last writer wins. */
                revision?: string;
            };
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountPolicy"];
            };
        };
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "AccountPolicyController.removePolicy": {
        parameters: {
            query?: {
                /** @description The `revision` of the policy that this change is based on, or `none` where there was none. Without it the last writer wins. */
                revision?: string;
            };
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "AccountFreezeController.listFreezes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFreezeList"];
                };
            };
        };
    };
    "AccountFreezeController.setFreeze": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                freezeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountFreezeRequest"];
            };
        };
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "AccountFreezeController.removeFreeze": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                freezeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "AnalyticsController.getRolesPie": {
        parameters: {
            query?: {
                range?: string;
            };
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AnalyticsFilter"][];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleDistributionRow"][];
                };
            };
        };
    };
    "AnalyticsController.getRolesAdded": {
        parameters: {
            query?: {
                range?: string;
            };
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AnalyticsFilter"][];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RolesAddedRow"][];
                };
            };
        };
    };
    "AnalyticsController.getLetsGo": {
        parameters: {
            query?: {
                range?: string;
            };
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserInteractionsRow"][];
                };
            };
        };
    };
    "AnalyticsController.getWalletConnections": {
        parameters: {
            query?: {
                range?: string;
            };
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletConnectionsRow"][];
                };
            };
        };
    };
    "CommunityEventController.listEvents": {
        parameters: {
            query?: {
                /** @description Events of one page. Default: 100 */
                limit?: number;
                /** @description From the page before */
                cursor?: string;
            };
            header?: never;
            path: {
                communityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportedCommunityEvents"];
                };
            };
        };
    };
}

/** What a program decides by (docs/errors.md). */
export type ErrorCode =
  | 'acceptance_timeout'
  | 'account_deploying'
  | 'account_forbidden'
  | 'account_funds_required'
  | 'account_kit_unavailable'
  | 'account_not_found'
  | 'action_invalid'
  | 'action_limit_exceeded'
  | 'action_list_limit_exceeded'
  | 'action_not_found'
  | 'action_signer_unavailable'
  | 'action_source_invalid'
  | 'actions_unavailable'
  | 'address_limit_exceeded'
  | 'administrator_limit_exceeded'
  | 'administrator_required'
  | 'api_key_conflict'
  | 'api_key_limit_exceeded'
  | 'api_key_not_found'
  | 'approval_conflict'
  | 'approval_required'
  | 'asset_claim_keys_unavailable'
  | 'asset_claim_length_limit_exceeded'
  | 'asset_claim_limit_exceeded'
  | 'asset_claim_not_found'
  | 'asset_claims_unavailable'
  | 'assets_unavailable'
  | 'attached_client_required'
  | 'authorization_request_invalid'
  | 'badge_conflict'
  | 'badge_not_found'
  | 'balance_check_limit_exceeded'
  | 'balance_check_not_found'
  | 'body_limit_exceeded'
  | 'body_required'
  | 'bundler_estimate_refused'
  | 'bundler_unavailable'
  | 'callback_endpoint_approval_required'
  | 'callback_endpoint_conflict'
  | 'callback_endpoint_limit_exceeded'
  | 'callback_endpoint_not_found'
  | 'callback_endpoint_verification_required'
  | 'callback_keys_unavailable'
  | 'callback_not_found'
  | 'callback_required'
  | 'chain_not_supported'
  | 'chain_request_invalid'
  | 'chain_unavailable'
  | 'challenge_invalid'
  | 'check_not_found'
  | 'check_result_required'
  | 'client_conflict'
  | 'client_limit_exceeded'
  | 'client_not_found'
  | 'client_required'
  | 'client_secret_not_supported'
  | 'communities_unavailable'
  | 'community_limit_exceeded'
  | 'community_membership_required'
  | 'community_not_found'
  | 'community_role_required'
  | 'community_suspended'
  | 'concurrency_limit_exceeded'
  | 'consent_required'
  | 'content_encoding_not_supported'
  | 'content_type_not_supported'
  | 'contract_check_limit_exceeded'
  | 'contract_not_found'
  | 'contract_unavailable'
  | 'contract_wallet_not_supported'
  | 'credential_invalid'
  | 'credential_issue_limit_exceeded'
  | 'credential_keys_unavailable'
  | 'credential_limit_exceeded'
  | 'credential_not_found'
  | 'credentials_unavailable'
  | 'csrf_token_invalid'
  | 'database_unavailable'
  | 'delivery_not_found'
  | 'disconnection_limit_exceeded'
  | 'endpoint_request_limit_exceeded'
  | 'fees_too_high'
  | 'form_invalid'
  | 'form_outcome_conflict'
  | 'freeze_not_found'
  | 'frozen'
  | 'header_invalid'
  | 'header_limit_exceeded'
  | 'held_assets_required'
  | 'host_invalid'
  | 'http_request_invalid'
  | 'idempotency_key_conflict'
  | 'idempotency_key_required'
  | 'identity_unavailable'
  | 'input_invalid'
  | 'interaction_limit_exceeded'
  | 'internal_error'
  | 'invitation_not_supported'
  | 'json_invalid'
  | 'key_vault_unavailable'
  | 'login_chain_not_supported'
  | 'login_invalid'
  | 'member_limit_exceeded'
  | 'member_not_found'
  | 'method_not_supported'
  | 'mint_not_supported'
  | 'month_limit_exceeded'
  | 'network_not_supported'
  | 'new_account_limit_exceeded'
  | 'new_community_limit_exceeded'
  | 'new_owner_conflict'
  | 'nodes_unavailable'
  | 'operation_conflict'
  | 'operation_mismatch'
  | 'operation_not_found'
  | 'operation_too_large'
  | 'operation_unavailable'
  | 'operator_required'
  | 'origin_forbidden'
  | 'origin_invalid'
  | 'origin_not_allowed'
  | 'owner_removal_conflict'
  | 'owner_required'
  | 'ownership_offer_conflict'
  | 'ownership_offer_not_found'
  | 'pagination_token_invalid'
  | 'parameter_invalid'
  | 'parameter_unknown'
  | 'passkey_conflict'
  | 'passkey_invalid'
  | 'passkey_limit_exceeded'
  | 'passkey_not_found'
  | 'passkey_not_supported'
  | 'passkeys_not_available'
  | 'path_invalid'
  | 'path_not_found'
  | 'plans_unavailable'
  | 'platform_application_invalid'
  | 'platform_not_configured'
  | 'platform_request_limit_exceeded'
  | 'platform_response_invalid'
  | 'platform_token_invalid'
  | 'platform_token_not_bound'
  | 'platform_unavailable'
  | 'policy_conflict'
  | 'policy_forbidden'
  | 'policy_limit_exceeded'
  | 'policy_not_found'
  | 'portal_community_limit_exceeded'
  | 'portal_rule_limit_exceeded'
  | 'principal_required'
  | 'proof_invalid'
  | 'publishable_id_forbidden'
  | 'publishable_id_limit_exceeded'
  | 'publishable_id_not_found'
  | 'published_rule_not_found'
  | 'queue_unavailable'
  | 'recent_login_required'
  | 'redelivery_limit_exceeded'
  | 'report_unavailable'
  | 'request_forbidden'
  | 'request_invalid'
  | 'request_timeout'
  | 'revocation_limit_exceeded'
  | 'role_conflict'
  | 'role_invalid'
  | 'role_limit_exceeded'
  | 'role_not_found'
  | 'role_rule_conflict'
  | 'roles_unavailable'
  | 'rule_not_found'
  | 'rule_not_supported'
  | 'rule_read_limit_exceeded'
  | 'rules_conflict'
  | 'rules_unavailable'
  | 'scope_forbidden'
  | 'scope_invalid'
  | 'scope_required'
  | 'second_limit_exceeded'
  | 'service_forbidden'
  | 'service_unavailable'
  | 'sign_in_required'
  | 'signature_invalid'
  | 'solana_transaction_invalid'
  | 'solana_transaction_not_found'
  | 'sponsor_unavailable'
  | 'status_list_not_found'
  | 'tenant_not_found'
  | 'token_keys_unavailable'
  | 'token_list_limit_exceeded'
  | 'transaction_conflict'
  | 'unfinished_operation_limit_exceeded'
  | 'unfinished_transaction_limit_exceeded'
  | 'upload_limit_exceeded'
  | 'upstream_response_invalid'
  | 'upstream_timeout'
  | 'upstream_unavailable'
  | 'url_invalid'
  | 'usage_unavailable'
  | 'user_forbidden'
  | 'user_id_conflict'
  | 'user_not_found'
  | 'user_operation_not_found'
  | 'user_required'
  | 'username_change_limit_exceeded'
  | 'username_invalid'
  | 'username_not_found'
  | 'username_taken'
  | 'waiting_action_limit_exceeded'
  | 'wallet_limit_exceeded'
  | 'wallet_login_required'
  | 'wallet_not_found'
  | 'wallet_request_not_found'
  | 'wallet_required'
  | 'would_revert';

/** Operations that read the header `Idempotency-Key`. Every other one ignores it. */
export const IDEMPOTENCY_KEY_ROUTES = [
  'POST /access-control/check-roles',
  'POST /accountkit/v1/chatbot/evm/mint',
  'POST /accountkit/v1/chatbot/evm/submitUserOperation',
  'POST /accountkit/v1/chatbot/solana/submitTransaction',
  'POST /accountkit/v2/platform/evm/submitUserOperation',
  'POST /accountkit/v2/platform/solana/submitTransaction',
] as const;
