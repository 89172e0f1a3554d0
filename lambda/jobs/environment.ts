// The environment of the jobs: they work with all that the API works with.
export { apiVariables as jobVariables } from '../api/environment.ts';
