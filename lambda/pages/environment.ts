// The environment variables of the function that answers with the web page: their names for the stack.
export const pagesVariables = ['CONTENT_SECURITY_POLICY'] as const;
