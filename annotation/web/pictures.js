// Pictures of items: asked for one by one with the token, since a page holds only their digests. Each is asked for once.

const pictures = new Map(); // a digest and the promise of its address

function askForPicture(digest) {
  const asked = call("study_picture", token(), {digest}).then((reply) => {
    if (!reply.ok) pictures.delete(digest); // the next page asks again
    return reply;
  });
  pictures.set(digest, asked);
  return asked;
}

// What cannot be shown says so beside its alternative text, with a way to try again.
async function showPicture(image) {
  const digest = image.dataset.picture;
  const reply = await (pictures.get(digest) ?? askForPicture(digest));
  image.parentElement?.querySelector(".study-no-picture")?.remove();
  if (reply.ok) return void (image.src = reply.address);
  const again = plainButton(translate("Show the picture"), () => showPicture(image));
  const said = Object.assign(document.createElement("p"), {className: "study-no-picture bad"});
  said.setAttribute("role", "alert");
  said.append(translate("The picture is not here: {why}", {why: reply.message}), " ", again);
  image.after(said);
}

function showPictures(place) {
  place.querySelectorAll("img[data-picture]:not([src])").forEach(showPicture);
}
