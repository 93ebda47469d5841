/** What the pages need of the passkey library. The build bundles this module with it (scripts/build/bundle.mjs). */
export {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser';
