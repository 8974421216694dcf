# Completion of ./course for bash:  source <(./course completion bash)
# Exercises and chapters are looked up in the folder of the command that is being typed.
_course() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} here names
  here=$(dirname -- "${COMP_WORDS[0]}")
  case $before in
    --tree | --json | --html | --all | --csv | --points)
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return
      ;;
    --device)
      mapfile -t COMPREPLY < <(compgen -W 'auto gpu sim' -- "$word")
      return
      ;;
  esac
  if [ "$COMP_CWORD" = 1 ]; then
    names=$(cd "$here/grader/cli/help" 2>/dev/null && printf '%s\n' *.txt | sed 's/\.txt$//; s/^course$/help/')
  elif [ "${COMP_WORDS[1]}" = completion ]; then
    names='bash zsh'
  elif [ "${COMP_WORDS[1]}" = quiz ] && [[ $word != -* ]]; then
    names=$(cd "$here/chapters" 2>/dev/null && printf '%s\n' */quiz.json | sed -E 's#_.*##')
  elif [[ $word == -* ]]; then
    names=$(grep -o -e '--[a-z]*' "$here/grader/cli/help/${COMP_WORDS[1]}.txt" 2>/dev/null)
  else
    names=$(cd "$here/exercises" 2>/dev/null && printf '%s\n' */*/ | sed -E 's#^(chapter[0-9])[^/]*/([^/]*)/$#\1\n\2#' | sort -u)
    # A word with a slash is a path.
    [[ $word == */* ]] && compopt -o filenames && names=$(compgen -f -- "$word")
  fi
  mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
}
complete -F _course course ./course
