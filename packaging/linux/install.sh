#!/bin/sh
# Puts Attention Stepper into this user's menu and makes it open *.attn.json, *.lesson.json and *.answers.json. Needs no root.
#
#   ./install.sh            the program stays where this folder lies
#   ./install.sh --remove   takes out all that it put in
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
name=attention-stepper
desktop=$data/applications/$name.desktop
mime=$data/mime/packages/$name.xml
icon=$data/icons/hicolor/scalable/apps/$name.svg

# Menus and file managers find out by themselves too, but later.
refresh() {
    if command -v update-mime-database >/dev/null; then update-mime-database "$data/mime"; fi
    if command -v update-desktop-database >/dev/null; then update-desktop-database -q "$data/applications"; fi
    if command -v gtk-update-icon-cache >/dev/null; then gtk-update-icon-cache -q -t "$data/icons/hicolor" || true; fi
}

if [ "${1:-}" = --remove ]; then
    rm -f "$desktop" "$mime" "$icon"
    refresh
    echo "Removed from the menu; the folder $here stays."
    exit 0
fi

program=$here/$name
[ -x "$program" ] || { echo "error: $program is not there; run this in the program's own folder" >&2; exit 1; }
mkdir -p "${desktop%/*}" "${mime%/*}" "${icon%/*}"
cp "$here/$name.svg" "$icon"
cp "$here/$name.xml" "$mime"
# In Exec a path stands in quotation marks, \ " $ ` behind a backslash, % is doubled; then each backslash is doubled.
quoted=$(printf '%s' "$program" | sed -e 's/[\"$`]/\\&/g' -e 's/%/%%/g' -e 's/\\/\\\\/g')
while IFS= read -r line; do
    case $line in
        Exec=*) printf 'Exec="%s" %%f\n' "$quoted" ;;
        *) printf '%s\n' "$line" ;;
    esac
done <"$here/$name.desktop" >"$desktop"
refresh
if command -v xdg-mime >/dev/null; then
    xdg-mime default $name.desktop application/x-attention-experiment+json application/x-attention-lesson+json \
        application/x-attention-answers+json || true
fi
echo "Attention Stepper is in the menu and opens *.attn.json, *.lesson.json and *.answers.json."
