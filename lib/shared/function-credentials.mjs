// Credentials as Lambda gives them, under the names by which the SDK's clients ask for the whole chain of providers.

export { fromEnv as defaultProvider, fromEnv as fromNodeProviderChain } from '@aws-sdk/credential-provider-env';
