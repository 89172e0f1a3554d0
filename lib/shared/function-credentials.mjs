// The credentials that Lambda gives a function, under the names of the SDK's functions that search for credentials.

export { fromEnv as defaultProvider, fromEnv as fromNodeProviderChain } from '@aws-sdk/credential-provider-env';
