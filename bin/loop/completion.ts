// Completion for shells, from the commands themselves.
import type { Command } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** A script that a shell reads to complete `loop`. */
export function completionOf({ commands }: Command, shell: Shell): string {
  if (shell === 'fish') return commands.flatMap(fishLines).join('\n');
  const names = commands.map((command) => command.name()).join(' ');
  const cases = commands.map((command) => {
    const options = command.options.map(({ long }) => long).join(' ');
    return `    ${command.name()}) words='${options}' ;;`;
  });
  const bash = `_loop() {
  local words='${names}'
  if [ "$COMP_CWORD" -gt 1 ]; then
    words=
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _loop loop`;
  // Zsh understands the script of bash after this line.
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${bash}` : bash;
}

function fishLines(command: Command): string[] {
  const name = command.name();
  const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
  const options = command.options.map(({ long, description }) => `-l ${long!.slice(2)} -d ${quoted(description)}`);
  return [
    `complete -c loop -n __fish_use_subcommand -f -a ${name} -d ${quoted(command.description())}`,
    ...options.map((option) => `complete -c loop -n '__fish_seen_subcommand_from ${name}' ${option}`),
  ];
}
