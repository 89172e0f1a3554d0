// Completion for shells, from the commands themselves.
import type { Command } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface Word {
  readonly name: string;
  readonly says: string;
}

const optionsOf = (command: Command): readonly Word[] =>
  command.options.map(({ long, description }) => ({ name: long ?? '', says: description }));

/** A script that a shell reads to complete `loop`. */
export function completionOf(program: Command, shell: Shell): string {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    says: command.summary() || command.description(),
    options: optionsOf(command),
  }));
  const names = (words: readonly Word[]) => words.map(({ name }) => name).join(' ');
  if (shell === 'fish') {
    const isFirst = '-n __fish_use_subcommand';
    return commands
      .flatMap(({ name, says, options }) => [
        `complete -c loop ${isFirst} -f -a ${name} -d ${quoted(says)}`,
        ...options.map((option) => {
          const isHere = `-n '__fish_seen_subcommand_from ${name}'`;
          return `complete -c loop ${isHere} -l ${option.name.slice(2)} -d ${quoted(option.says)}`;
        }),
      ])
      .join('\n');
  }
  const cases = commands.map(({ name, options }) => `    ${name}) words='${names(options)}' ;;`).join('\n');
  const bash = `_loop() {
  local words='${names(commands)}'
  if [ "$COMP_CWORD" -gt 1 ]; then
    words=
    case "\${COMP_WORDS[1]}" in
${cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _loop loop`;
  // Zsh understands the script of bash after this line.
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${bash}` : bash;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`;
}
