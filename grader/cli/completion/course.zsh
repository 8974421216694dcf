# Completion of ./course for zsh:  source <(./course completion zsh)
# Exercises and chapters are looked up in the folder of the command that is being typed.
_course() {
  local here=${words[1]:h}
  case ${words[CURRENT - 1]} in
    --tree | --json | --html | --all | --csv | --points) _files; return ;;
    --device) compadd auto gpu sim; return ;;
  esac
  if ((CURRENT == 2)); then
    compadd help ${${(@)$(echo $here/grader/cli/help/*.txt(N:t:r))}:#course}
  elif [[ ${words[2]} == completion ]]; then
    compadd bash zsh
  elif [[ ${words[2]} == quiz && ${words[CURRENT]} != -* ]]; then
    compadd $(cd $here/chapters 2>/dev/null && print -l */quiz.json | sed -E 's#_.*##')
  elif [[ ${words[CURRENT]} == -* ]]; then
    compadd -- $(grep -o -e '--[a-z]*' $here/grader/cli/help/${words[2]}.txt 2>/dev/null)
  elif [[ ${words[CURRENT]} == */* ]]; then
    _files
  else
    compadd $(cd $here/exercises 2>/dev/null && print -l */*/ | sed -E 's#^(chapter[0-9])[^/]*/([^/]*)/$#\1\n\2#' | sort -u)
  fi
}
compdef _course course ./course
