//! Words of languages without a list of pronouns, so that their texts are not taken for those of a language with a list.

/// Frequent pronouns of languages without a list, in lower case, those that are also in a list included. Similar languages
/// have one row. Languages that share few words with a list are left out: see `PronounCounts::language`.
pub(super) static OTHER_LANGUAGES: &[&str] = &[
    // Norwegian, Danish, Swedish
    "jeg jag eg du han hun hon ho den det dei vi ni dem meg mig deg dig seg sig oss os er henne honom ham min sin sitt \
     sit sina sine hans hennes deres deras dette detta denne denna som man",
    // Dutch
    "ik je jij hij ze zij we wij het me mij hem haar ons hun hen zich zijn mijn u die dat deze dit",
    // Portuguese, Galician
    "eu tu ele ela nós eles elas você me te se nos os lhe si lo la los las seu sua seus suas meu minha este esta esse essa \
     isso isto que quem",
    // Catalan
    "jo tu ell ella ells em us les li lo la hi ho me te se s' l' meva seva seu seus seves això què que qui",
    // Italian, Romanian
    "io eu tu lui lei ea noi loro mi ti si ci vi lo la li le gli me te se suo sua suoi sue sa mio mia questo questa \
     ciò che cui ei ele îl își lor acest care ce",
    // Polish, Czech, Croatian, Serbian
    "ja já on ona my mi mě ti go ga ho mu mnie jego jeho jej ją ji nas nás nam vás ich njih nich je im się se si swój svoj \
     svůj své svoje swoje moj ten ta to tego který która który koji koja",
    // Finnish
    "minä sinä hän se me te he minut hänet hänen sen heidän hänelle joka",
    // Hungarian
    "én te ő mi ti ők engem őt ez az ezt azt aki amely",
    // Ukrainian, Bulgarian
    "я ти він вона ми ви мене мені його йому її їй нас нам вас їх їм свій свою це який яка що аз той тя те него нея ни ги \
     го му им си се своя този това",
];
