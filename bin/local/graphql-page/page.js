// The page to try queries on: sends the query in the form, shows the answer, and searches the schema.
const element = (id) => document.getElementById(id);

const firstQuery = `query Streams($first: Int) {
  listStreams(first: $first) {
    nodes {
      id
      name
      state
      destination { name rtmpURL }
      playlists {
        name
        draft { items { upload { name durationSeconds } } }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}
`;

element('query').value = sessionStorage.getItem('query') ?? firstQuery;
element('variables').value = sessionStorage.getItem('variables') ?? '{ "first": 10 }';
element('key').value = sessionStorage.getItem('key') ?? '';

element('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  void run();
});
addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void run();
});

async function run() {
  const [query, variables, key] = ['query', 'variables', 'key'].map((id) => element(id).value);
  for (const [name, value] of Object.entries({ query, variables, key })) sessionStorage.setItem(name, value);
  let parsed;
  try {
    parsed = JSON.parse(variables || '{}');
  } catch (error) {
    return show('The variables are not JSON.', String(error));
  }
  const beganMs = performance.now();
  try {
    const headers = { 'content-type': 'application/json', ...(key ? { 'x-api-key': key.trim() } : {}) };
    const body = JSON.stringify({ query, variables: parsed });
    const response = await fetch('/graphql', { method: 'POST', headers, body });
    const durationMs = Math.round(performance.now() - beganMs);
    show(`${response.status}, ${durationMs} ms`, JSON.stringify(await response.json(), null, 2));
  } catch (error) {
    show('The platform does not answer.', String(error));
  }
}

function show(facts, answer) {
  element('facts').textContent = facts;
  element('answer').textContent = answer;
}

/** The schema cut into its types, each with its description. */
const schema = await (await fetch('/graphql/schema.graphql')).text();
const types = schema.split(/\n\n(?=(?:"""[^"]*"""\n)?(?:type|input|enum|scalar) )/);

/** Shows the types that mention the text in the search field. */
function find() {
  const sought = element('search').value.trim().toLowerCase();
  const found = types.filter((type) => type.toLowerCase().includes(sought));
  element('schema').textContent = found.join('\n\n') || 'Nothing has this name.';
}
element('search').addEventListener('input', find);
find();
