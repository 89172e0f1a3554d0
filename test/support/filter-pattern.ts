// Matches JSON log lines against metric filters as CloudWatch Logs does, for the patterns in use here.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html

/**
 * Supports selectors of a field, `=` with a string, `>` with a number, `&&`, `||` and parentheses. In a string, an
 * asterisk at the end matches any text.
 * @throws for a pattern with anything else, as CloudWatch Logs does for one that it cannot parse
 */
export function matchesFilter(pattern: string, line: string): boolean {
  const body = /^\{ (.+) \}$/.exec(pattern)?.[1];
  if (body === undefined) throw new Error(`no pattern for JSON: ${pattern}`);
  const tokens = body.match(/\$\.[\w.]+ (?:= "[^"]*"|> [\d.]+)|&&|\|\||[()]|\S+/g) ?? [];
  const fields = fieldsOf(line);
  const alternatives = (): boolean => {
    let holds = conjunction();
    while (tokens[0] === '||') holds = [tokens.shift(), conjunction()].includes(true) || holds;
    return holds;
  };
  const conjunction = (): boolean => {
    let holds = term();
    while (tokens[0] === '&&') holds = ![tokens.shift(), term()].includes(false) && holds;
    return holds;
  };
  const term = (): boolean => {
    const token = tokens.shift() ?? '';
    if (token !== '(') return comparison(token, fields);
    const holds = alternatives();
    if (tokens.shift() !== ')') throw new Error(`a parenthesis is not closed: ${pattern}`);
    return holds;
  };
  const matches = alternatives();
  if (tokens.length > 0) throw new Error(`the pattern goes on where it has to end: ${tokens.join(' ')}`);
  return matches;
}

/** The fields of a line. A line that is not JSON has none and matches no pattern. */
function fieldsOf(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function comparison(token: string, fields: Readonly<Record<string, unknown>>): boolean {
  const [, field = '', text, least] = /^\$\.([\w.]+) (?:= "([^"]*)"|> ([\d.]+))$/.exec(token) ?? [];
  if (field === '') throw new Error(`no comparison: ${token}`);
  const value = field.split('.').reduce<any>((within, name) => within?.[name], fields);
  if (least !== undefined) return typeof value === 'number' && value > Number(least);
  if (typeof value !== 'string' || text === undefined) return false;
  return text.endsWith('*') ? value.startsWith(text.slice(0, -1)) : value === text;
}
